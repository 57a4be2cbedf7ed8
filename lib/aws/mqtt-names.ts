import type { Stage } from './settings.ts';

/** The rule that takes what devices publish; empty: the stage speaks no MQTT. Names of rules have no hyphens. */
export const ruleNameOf = ({ name, mqtt }: Stage): string =>
  mqtt ? `sensor_cloud_${name.replaceAll('-', '_')}_messages` : '';

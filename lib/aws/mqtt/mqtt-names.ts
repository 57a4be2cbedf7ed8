import type { Stage } from '../settings/settings.ts';

/**
 * The name of the rule that takes the messages of devices; empty when the stage has no MQTT. Names of rules have no
 * hyphens.
 */
export const ruleNameOf = ({ name, mqtt }: Stage): string =>
  mqtt ? `sensor_cloud_${name.replaceAll('-', '_')}_messages` : '';

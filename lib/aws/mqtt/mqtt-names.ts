import type { Stage } from '../settings/settings.ts';

/**
 * Returns the name of the rule for device messages (without hyphens, as AWS IoT requires), or '' in a stage without
 * MQTT.
 */
export const ruleNameOf = ({ name, mqtt }: Stage): string =>
  mqtt ? `sensor_cloud_${name.replaceAll('-', '_')}_messages` : '';

/** Returns the MQTT topics for a device: for messages, configuration changes, and rejected messages. */
export const topicsOf = (sensorId: string) => {
  const own = `v1/devices/${sensorId}`;
  return { messages: `${own}/messages`, config: `${own}/config`, refused: `${own}/refused` };
};

/** The topic filter for messages from all devices. The sensor id is the third topic level. */
export const ALL_MESSAGES = topicsOf('+').messages;

/**
 * Returns the Basic Ingest prefix, which a device may put before the message topic. AWS IoT then passes the messages to
 * the rule without the message broker, at a lower price.
 * https://docs.aws.amazon.com/iot/latest/developerguide/iot-basic-ingest.html
 */
export const basicIngest = (rule: string): string => `$aws/rules/${rule}/`;

/** Returns the MQTT topics of a device: for its messages, changes of its configuration, and rejected messages. */
export const topicsOf = (sensorId: string) => {
  const own = `v1/devices/${sensorId}`;
  return { messages: `${own}/messages`, config: `${own}/config`, refused: `${own}/refused` };
};

/** The topic filter for the messages of all devices. The sensor id is the third level of a topic. */
export const ALL_MESSAGES = topicsOf('+').messages;

/**
 * Returns the prefix of Basic Ingest, which a device may put before the topic of its messages. AWS IoT then passes them
 * to the rule without the message broker, at a lower price.
 * https://docs.aws.amazon.com/iot/latest/developerguide/iot-basic-ingest.html
 */
export const basicIngest = (rule: string): string => `$aws/rules/${rule}/`;

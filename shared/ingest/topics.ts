/** The MQTT topics of one device: its messages, changes of its configuration, and refused messages. */
export const topicsOf = (sensorId: string) => {
  const own = `v1/devices/${sensorId}`;
  return { messages: `${own}/messages`, config: `${own}/config`, refused: `${own}/refused` };
};

/** The topic filter for messages of all devices. The sensor id is the third level of a topic. */
export const ALL_MESSAGES = topicsOf('+').messages;

/**
 * The prefix of Basic Ingest, which a device may put in front of the topic of its messages: AWS IoT then hands them to the
 * rule without the message broker, for less. https://docs.aws.amazon.com/iot/latest/developerguide/iot-basic-ingest.html
 */
export const basicIngest = (rule: string): string => `$aws/rules/${rule}/`;

/** The topics of MQTT that are a device's own: what it says, that its configuration changed, what was not taken. */
export const topicsOf = (sensorId: string) => {
  const own = `v1/devices/${sensorId}`;
  return { messages: `${own}/messages`, config: `${own}/config`, refused: `${own}/refused` };
};

/** The same, as a filter for the messages of all devices: the sensor is its third level. */
export const ALL_MESSAGES = topicsOf('+').messages;

/**
 * What a device may put in front of the topic of its messages. AWS IoT hands them to the rule of this name then without
 * the message broker, and so for less. https://docs.aws.amazon.com/iot/latest/developerguide/iot-basic-ingest.html
 */
export const basicIngest = (rule: string): string => `$aws/rules/${rule}/`;

/** Returns the name of the stack of a stage. */
export const stackName = (stage: string): string => `SensorCloud-${stage}`;

/** Returns the stack name for a stage. */
export const stackName = (stage: string): string => `SensorCloud-${stage}`;

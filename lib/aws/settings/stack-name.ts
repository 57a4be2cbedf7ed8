/** Returns a stage's stack name. */
export const stackName = (stage: string): string => `SensorCloud-${stage}`;

/**
 * The parts of the AWS SDK for AWS IoT that are used. They are bundled once for all functions
 * (lib/aws/functions/sdk.ts).
 */
export { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from '@aws-sdk/client-iot-data-plane';

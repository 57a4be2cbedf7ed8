/** The parts of the AWS SDK used for AWS IoT. They are bundled once for all functions (lib/aws/functions/sdk.ts). */
export { IoTDataPlaneClient, type IoTDataPlaneClientConfig, PublishCommand } from '@aws-sdk/client-iot-data-plane';

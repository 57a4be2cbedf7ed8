import { startCloud } from '../lib/local/cloud.ts';
import { startDemo } from '../lib/local/demo/demo.ts';
import { settingsFrom } from '../shared/env.ts';

const { env } = process;

const port = Number(env.PORT ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('PORT must be 0..65535');
  process.exit(2);
}

const cloud = await startCloud({
  port,
  dataDir: env.DATA_DIR ?? '.local',
  settings: settingsFrom({ ALLOW_PRIVATE_TARGETS: 'true', MAIL_SENDER: 'outbox', ...env, TABLE_NAME: 'sensor-cloud' }),
  first: {
    adminUsername: env.ADMIN_USERNAME ?? 'admin',
    adminPassword: env.ADMIN_PASSWORD,
    provisioningKey: env.PROVISIONING_KEY,
  },
  ...(env.AWS_ENDPOINT_URL_DYNAMODB && { tableEndpoint: env.AWS_ENDPOINT_URL_DYNAMODB }),
  ...(env.AWS_ENDPOINT_URL_SQS && { queueEndpoint: env.AWS_ENDPOINT_URL_SQS }),
});

for (const [what, value] of Object.entries(cloud.generated)) console.log(`${what}: ${value}`);
const demo = env.DEMO === 'false' ? null : await startDemo(cloud, console.log);
console.log(`ready ${cloud.url}`);

let stopping = false;
const stop = () => {
  if (stopping) process.exit(1);
  stopping = true;
  demo?.stop();
  cloud.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

import { accessTokens } from './access-tokens/contract.ts';
import { auth } from './auth/contract.ts';
import { bots } from './bots/contract.ts';
import { customers } from './customers/contract.ts';
import { deliver } from './deliver/contract.ts';
import { deliveries } from './deliveries/contract.ts';
import { devices } from './devices/contract.ts';
import { docs } from './docs/contract.ts';
import { feedback } from './feedback/contract.ts';
import { firmware } from './firmware/contract.ts';
import { makerAConfig } from './maker-a-config/contract.ts';
import { makerBConfig } from './maker-b-config/contract.ts';
import { processing } from './process/contract.ts';
import { provisioningKeys } from './provisioning-keys/contract.ts';
import { rooms } from './rooms/contract.ts';
import { ruleHits } from './rule-hits/contract.ts';
import { rules } from './rules/contract.ts';
import { sensorGroups } from './sensor-groups/contract.ts';
import { sensors } from './sensors/contract.ts';
import { server } from './server/contract.ts';
import { sweep } from './sweep/contract.ts';
import { users } from './users/contract.ts';
import { webhooks } from './webhooks/contract.ts';

/** All groups of operations, in the order of the OpenAPI document. A group's folder has its name. */
export const groups = [
  auth,
  users,
  accessTokens,
  customers,
  sensors,
  sensorGroups,
  rooms,
  ruleHits,
  feedback,
  makerAConfig,
  makerBConfig,
  firmware,
  bots,
  rules,
  webhooks,
  deliveries,
  devices,
  provisioningKeys,
  server,
  docs,
] as const;

/** What works on queues, and what runs by the clock. */
export const consumers = [processing, deliver] as const;
export const schedules = [sweep] as const;

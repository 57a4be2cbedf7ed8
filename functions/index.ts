import { accessTokens } from './api/access-tokens/contract.ts';
import { acknowledge } from './api/acknowledge/contract.ts';
import { alarmList } from './api/alarm-list/contract.ts';
import { audit } from './api/audit/contract.ts';
import { auth } from './api/auth/contract.ts';
import { bots } from './api/bots/contract.ts';
import { canary } from './api/canary/contract.ts';
import { channels } from './api/channels/contract.ts';
import { webConsole } from './api/console/contract.ts';
import { customers } from './api/customers/contract.ts';
import { deliveries } from './api/deliveries/contract.ts';
import { devices } from './api/devices/contract.ts';
import { docs } from './api/docs/contract.ts';
import { falls } from './api/falls/contract.ts';
import { feed } from './api/feed/contract.ts';
import { feedback } from './api/feedback/contract.ts';
import { firmware } from './api/firmware/contract.ts';
import { imports } from './api/imports/contract.ts';
import { makerAConfig } from './api/maker-a-config/contract.ts';
import { makerBConfig } from './api/maker-b-config/contract.ts';
import { openFalls } from './api/open-falls/contract.ts';
import { personalData } from './api/personal-data/contract.ts';
import { provisioningKeys } from './api/provisioning-keys/contract.ts';
import { reports } from './api/reports/contract.ts';
import { rooms } from './api/rooms/contract.ts';
import { ruleHits } from './api/rule-hits/contract.ts';
import { rules } from './api/rules/contract.ts';
import { sensorGroups } from './api/sensor-groups/contract.ts';
import { sensors } from './api/sensors/contract.ts';
import { server } from './api/server/contract.ts';
import { station } from './api/station/contract.ts';
import { users } from './api/users/contract.ts';
import { watch } from './api/watch/contract.ts';
import { webhooks } from './api/webhooks/contract.ts';
import { alarmCheck } from './workers/alarm-check/contract.ts';
import { authorizer } from './workers/authorizer/contract.ts';
import { canaryRound } from './workers/canary-round/contract.ts';
import { dataJobs } from './workers/data-jobs/contract.ts';
import { deliver } from './workers/deliver/contract.ts';
import { ingesting } from './workers/ingest/contract.ts';
import { processing } from './workers/process/contract.ts';
import { sweep } from './workers/sweep/contract.ts';
import { undeliverable } from './workers/undeliverable/contract.ts';
import { watchChanges } from './workers/watch-changes/contract.ts';

/** All operation groups, in the order used in the OpenAPI document. */
export const groups = [
  auth,
  users,
  accessTokens,
  channels,
  customers,
  audit,
  personalData,
  sensors,
  sensorGroups,
  rooms,
  openFalls,
  falls,
  watch,
  station,
  ruleHits,
  alarmList,
  reports,
  acknowledge,
  feedback,
  makerAConfig,
  makerBConfig,
  firmware,
  bots,
  rules,
  imports,
  webhooks,
  deliveries,
  feed,
  devices,
  provisioningKeys,
  server,
  docs,
  webConsole,
  canary,
] as const;

/** Functions that process queues. */
export const consumers = [processing, deliver, ingesting, dataJobs, undeliverable] as const;
/** Functions that run on a schedule, on both hosts. */
export const schedules = [sweep, canaryRound, watchChanges] as const;
/** Functions that run on a schedule in AWS only. */
export const awsSchedules = [alarmCheck] as const;
/** Functions that AWS IoT calls to authenticate devices. */
export const authorizers = [authorizer] as const;

/** Returns the subfolder of `functions` that contains a function. */
export const kindOf = (name: string): 'api' | 'workers' =>
  groups.some((group) => group.name === name) ? 'api' : 'workers';

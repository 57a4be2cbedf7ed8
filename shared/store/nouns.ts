/**
 * The nouns of the store, each with its reads and writes in the file of its name. The bundle of a Lambda has only the
 * nouns that its contract uses (lib/aws/bundle.ts).
 */
export { accessTokens } from './access-tokens.ts';
export { acknowledgements } from './acknowledgements.ts';
export { addressKeys } from './address-keys.ts';
export { attempts } from './attempts.ts';
export { backoffs } from './backoffs.ts';
export { bots } from './bots.ts';
export { canary } from './canary.ts';
export { channels } from './channels.ts';
export { configs } from './configs.ts';
export { customers } from './customers.ts';
export { deliveries } from './deliveries.ts';
export { deliveryLog } from './delivery-log.ts';
export { due } from './due.ts';
export { duty } from './duty.ts';
export { escalations } from './escalations.ts';
export { events } from './events.ts';
export { feedback } from './feedback.ts';
export { feeds } from './feeds.ts';
export { firmwares } from './firmwares.ts';
export { health } from './health.ts';
export { held } from './held.ts';
export { hitLists } from './hit-lists.ts';
export { limits } from './limits.ts';
export { makerFeedback } from './maker-feedback.ts';
export { openFalls } from './open-falls.ts';
export { provisioning } from './provisioning.ts';
export { pushKeys } from './push-keys.ts';
export { recipients } from './recipients.ts';
export { repetitions } from './repetitions.ts';
export { replays } from './replays.ts';
export { reports } from './reports.ts';
export { resets } from './resets.ts';
export { rooms } from './rooms.ts';
export { ruleHits } from './rule-hits.ts';
export { rules } from './rules.ts';
export { secrets } from './secrets.ts';
export { sensorGroups } from './sensor-groups.ts';
export { sensorOwners } from './sensor-owners.ts';
export { sensors } from './sensors.ts';
export { sessions } from './sessions.ts';
export { states } from './states.ts';
export { users } from './users.ts';
export { webhooks } from './webhooks.ts';

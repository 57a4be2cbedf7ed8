/**
 * The nouns of the store, each with its reads and writes in the file of the same name. The bundle of a function imports
 * only those that its contract uses (lib/aws/functions/entry.ts).
 */

export { addressKeys } from './deliveries/address-keys.ts';
export { attempts } from './deliveries/attempts.ts';
export { bots } from './deliveries/bots.ts';
export { deliveries } from './deliveries/deliveries.ts';
export { deliveryLog } from './deliveries/delivery-log.ts';
export { feeds } from './deliveries/feeds.ts';
export { health } from './deliveries/health.ts';
export { held } from './deliveries/held.ts';
export { makerFeedback } from './deliveries/maker-feedback.ts';
export { repetitions } from './deliveries/repetitions.ts';
export { replays } from './deliveries/replays.ts';
export { secrets } from './deliveries/secrets.ts';
export { webhooks } from './deliveries/webhooks.ts';
export { due } from './engine/due.ts';
export { hitLists } from './hits/hit-lists.ts';
export { reports } from './hits/reports.ts';
export { ruleHits } from './hits/rule-hits.ts';
export { accessTokens } from './identity/access-tokens.ts';
export { backoffs } from './identity/backoffs.ts';
export { externals } from './identity/externals.ts';
export { limits } from './identity/limits.ts';
export { logins } from './identity/logins.ts';
export { otps } from './identity/otps.ts';
export { resets } from './identity/resets.ts';
export { sessions } from './identity/sessions.ts';
export { users } from './identity/users.ts';
export { audit } from './people/audit.ts';
export { auditLines } from './people/audit-lines.ts';
export { canary } from './people/canary.ts';
export { channels } from './people/channels.ts';
export { customers } from './people/customers.ts';
export { duty } from './people/duty.ts';
export { pushKeys } from './people/push-keys.ts';
export { recipients } from './people/recipients.ts';
export { watches } from './people/watches.ts';
export { acknowledgements } from './rules/acknowledgements.ts';
export { escalations } from './rules/escalations.ts';
export { rules } from './rules/rules.ts';
export { unnotified } from './rules/unnotified.ts';
export { configs } from './sensors/configs.ts';
export { devices } from './sensors/devices.ts';
export { events } from './sensors/events.ts';
export { feedback } from './sensors/feedback.ts';
export { firmwares } from './sensors/firmwares.ts';
export { openFalls } from './sensors/open-falls.ts';
export { provisioning } from './sensors/provisioning.ts';
export { rooms } from './sensors/rooms.ts';
export { sensorGroups } from './sensors/sensor-groups.ts';
export { sensorOwners } from './sensors/sensor-owners.ts';
export { sensors } from './sensors/sensors.ts';
export { states } from './sensors/states.ts';
export { dataJobs } from './subjects/data-jobs.ts';
export { subjects } from './subjects/subjects.ts';

import { LAST_PASS_AFTER, MAX_LOGIN_AGE } from '#shared/domain/identity/data-job.ts';
import type { LimitName } from '#shared/domain/identity/quota.ts';
import type { Problem } from '#shared/domain/problem.ts';
import type { ErrorCode } from '../errors.ts';

export const errorTexts: Record<ErrorCode, string> = {
  bad_request: 'The request is not valid',
  sensor_wrong_manufacturer: 'This is not available for sensors of this manufacturer',
  credentials_invalid: 'The login details are not valid',
  reset_code_invalid: 'The code is not valid, or has expired',
  otp_required: 'Enter the code from your second factor',
  oidc_refused: 'The identity provider refused the login, or the account has no access here',
  csrf_detected: 'The request did not come from the page that started the session, so the session has ended',
  forbidden: 'This is not permitted',
  otp_setup_required: 'Your account requires a second factor. Set one up first',
  login_too_old: `Log in again: this requires a login within the last ${MAX_LOGIN_AGE / 60_000} minutes`,
  erasure_requester:
    "You requested your customer's erasure. Until the erasure begins or is canceled, you cannot remove users or " +
    'change their permissions and logins',
  path_unknown: 'There is nothing at this path',
  user_not_found: 'The user was not found',
  customer_not_found: 'The customer was not found',
  sensor_not_found: 'The sensor was not found',
  event_not_found: 'The event was not found',
  bot_not_found: 'The bot was not found',
  rule_not_found: 'The rule was not found',
  rule_hit_not_found: 'The rule hit was not found',
  fall_not_found: 'The fall was not found',
  webhook_not_found: 'The webhook was not found',
  provisioning_key_not_found: 'The provisioning key was not found',
  pairing_code_unknown: 'The pairing code is not valid',
  access_token_not_found: 'The access token was not found',
  otp_not_found: 'No second factor is set up',
  session_not_found: 'The session was not found',
  sensor_group_not_found: 'The sensor group was not found',
  feedback_not_found: 'The feedback was not found',
  address_unknown: 'This link is not valid, or has expired',
  firmware_not_found: 'The firmware was not found',
  channel_not_found: 'The channel was not found',
  delivery_not_found: 'The delivery was not found',
  replay_not_found: 'The replay was not found',
  job_not_found: 'The job was not found',
  method_not_allowed: 'This method is not allowed at this path',
  username_taken: 'The username is taken',
  otp_on: 'The second factor is already on. Remove it first',
  oidc_off: 'This service has no identity provider to log in through',
  user_external: 'The user logs in through another service, and has no password here',
  customer_missing: 'The user does not belong to a customer',
  sensor_of_another_customer: 'The sensor belongs to another customer',
  sensor_being_erased: `The sensor's data is being erased. Link it again in ${LAST_PASS_AFTER / 60_000} minutes, when the erasure has finished`,
  sensor_active: 'The sensor is online. Only offline sensors can be deleted',
  region_in_use: 'Rules use regions missing from this room: {rules}. Change or delete these rules first',
  sensor_group_in_use: 'A rule or a webhook filter uses the sensor group. Change it first',
  customer_in_use: 'The customer still has users or sensors',
  firmware_in_use: 'The firmware is the default, or a sensor is pinned to it',
  firmware_exists: 'This firmware version already exists',
  access_tokens_too_many: 'The user already has the maximum number of access tokens',
  webhook_disabled: 'The webhook is disabled',
  webhook_has_address: 'The webhook has a URL. Events are posted there and cannot be fetched',
  acknowledged_already: '{name} is already on it',
  fall_closed: 'The fall is closed, so the acknowledgement can no longer be withdrawn',
  report_too_long: 'This period has more entries than one report can count. Choose a shorter period',
  erasure_requested: "This customer's erasure has already been requested",
  erasure_begun: 'The erasure has already begun',
  erasure_canceled: 'The erasure was canceled',
  body_too_slow: 'The request took too long to arrive',
  limit_reached: 'Limit reached: at most {most} {what}',
  registration_refused:
    'The sensor is linked to a customer. To register again, it needs its current token, or its customer must allow it',
  body_too_large: 'The body is too large',
  media_type_unsupported: 'The body must be application/json',
  expectation_unknown: 'No expectation other than 100-continue is supported',
  rate_limited: 'Too many requests, next attempt possible in {seconds} seconds from now',
  internal: 'Something went wrong on our side',
  unavailable: 'The service is not available at the moment',
};

/** Plural names for what a limit counts. */
export const limitNames: Record<LimitName, string> = {
  webhooks: 'webhooks',
  bots: 'bots',
  rules: 'rules',
  rulesOfOneSituation: 'enabled rules for the same scope and situation',
  users: 'users',
  sensors: 'sensors',
  sensorsInGroup: 'sensors in a group',
  sensorGroups: 'sensor groups',
  replays: 'running replays per webhook',
  messagesPerSecond: 'messages per second per sensor',
  smsPerDay: 'SMS per day',
  smsCodesPerDay: 'SMS codes per day',
  smsTestsPerDay: 'test SMS per day',
  devices: 'devices per provisioning key',
  invitations: 'invitations per day',
};

export const problemTexts: Record<Problem, string> = {
  required: 'is required',
  type: 'must be of type {expected}',
  invalid: 'is not valid',
  minimum: 'must be at least {limit}',
  maximum: 'must be at most {limit}',
  text_length: 'must be {min} to {max} characters long',
  text_characters:
    'must not contain control characters, line separators, characters that change the text direction, or incomplete ' +
    'characters',
  password_length: 'must be {min} to {max} bytes long',
  password_common: 'is among the most common passwords',
  standard_secret: 'must be whsec_ in lower case and padded Base64 of {min} to {max} bytes',
  choice: 'must be one of: {choices}',
  items: 'has the wrong number of entries or characters; the limit is {limit}',
  json: 'is not valid JSON',
  json_depth: 'is nested too deeply',
  steps_rise: 'must be later than the previous step',
  one_scope: 'must be omitted if sensorId is set',
  region_needs_sensor: 'must be omitted unless sensorId is set',
  situation_has_no_region: 'must be omitted, because this situation has no region',
  customer_hook_has_no_bot: 'must be omitted for a customer webhook',
  bot_hook_needs_bot: 'is required for a bot webhook',
  format_is_for_bots: 'is a format for bot webhooks only',
  filter_is_for_customer_hooks: "is for customer webhooks only. A bot's rules decide what it receives",
  unknown_reference: 'does not exist',
  time_zone: 'is not an IANA time zone',
  repeated_header: 'must be sent only once',
  customer_required: 'is required, because you do not belong to a customer',
  format_cannot_tell: 'names a webhook whose format cannot express this situation',
  format_loses_rules: 'cannot express the situation in a rule that names this webhook',
  foreign_webhook: 'is not a webhook of this bot',
  not_reachable: 'is a channel this user has not confirmed',
  cannot_log_in: 'is a user who may not log in',
  needs_mail: 'requires email, which this service cannot send',
  channel_not_offered: 'is a channel this service cannot send through; available: {choices}',
  url: 'is not an allowed address',
  url_address: 'leads to an address that is not allowed',
  url_loopback: "leads to this service's own machine. The operator can allow that with ALLOWED_TARGET_RANGES",
  hardware_id: 'is not a hardware ID from this manufacturer',
  unsupported: 'is not supported by sensors of this manufacturer; it must be one of: {choices}',
  outside_room: 'is outside the room; it must be from {least} to {most}',
  region_corners: 'must be to the left of and above the opposite corner',
  region_side: 'makes a side shorter than {limit} cm',
  z_order: 'must be less than zMax',
  region_count: 'has too many regions; the limit is {limit}',
  rate_order: 'must not be below the lower rate',
  wrong_password: 'is not the current password',
  wrong_code: 'is not the code that was sent, or is no longer valid',
  wrong_otp: "is not the app's current code",
  channel_gone: 'cannot be reached',
  csv: 'is not valid CSV in line {line}',
  duplicate_row: 'is also in row {row}',
  ambiguous: 'matches several entries; rename them first',
  taken: 'is taken',
  email_kept: "differs from this user's address, which an import does not change",
  not_held: 'requires permissions you do not have: {choices}',
  changed_since: 'was changed or deleted since the import was checked',
  limit: 'exceeds the limit of {limit}',
};

export const resetMail = {
  subject: 'Your password reset code',
  text: `A new password was requested for your account. Use this code within {minutes} minutes to set one. The code works once.

{code}

If you did not request this, you can ignore this email. Without the code, nothing changes.
`,
};

export const addressMail = {
  subject: 'Your email address was changed',
  text: `The email address for your account {username} was changed. If you did not do this, set a new password now, and inform someone who manages users.

Unless someone who manages users made the change, password reset codes still go to this address for 24 hours.
`,
};

export const invitationMail = {
  subject: 'Your account',
  text: `An account was created for you, with the username {username}. Set a password within {days} days:

{link}

Or enter this code in the console under “Reset password”:

{code}
`,
};

import type { LimitName } from '../domain/identity/quota.ts';
import type { FieldError, Problem } from '../domain/problem.ts';

/** The codes and HTTP statuses of all expected operation failures. Their texts are in messages/. */
export const errors = {
  bad_request: 400,
  sensor_wrong_manufacturer: 400,
  credentials_invalid: 401,
  reset_code_invalid: 401,
  otp_required: 401,
  oidc_refused: 401,
  csrf_detected: 403,
  forbidden: 403,
  otp_setup_required: 403,
  login_too_old: 403,
  erasure_requester: 403,
  path_unknown: 404,
  user_not_found: 404,
  customer_not_found: 404,
  sensor_not_found: 404,
  event_not_found: 404,
  bot_not_found: 404,
  rule_not_found: 404,
  rule_hit_not_found: 404,
  fall_not_found: 404,
  webhook_not_found: 404,
  provisioning_key_not_found: 404,
  pairing_code_unknown: 404,
  access_token_not_found: 404,
  otp_not_found: 404,
  session_not_found: 404,
  sensor_group_not_found: 404,
  feedback_not_found: 404,
  address_unknown: 404,
  firmware_not_found: 404,
  channel_not_found: 404,
  delivery_not_found: 404,
  replay_not_found: 404,
  job_not_found: 404,
  method_not_allowed: 405,
  username_taken: 409,
  otp_on: 409,
  oidc_off: 409,
  user_external: 409,
  customer_missing: 409,
  sensor_of_another_customer: 409,
  sensor_active: 409,
  sensor_being_erased: 409,
  sensor_group_in_use: 409,
  region_in_use: 409,
  customer_in_use: 409,
  firmware_in_use: 409,
  firmware_exists: 409,
  access_tokens_too_many: 409,
  webhook_disabled: 409,
  webhook_has_address: 409,
  acknowledged_already: 409,
  fall_closed: 409,
  report_too_long: 409,
  erasure_requested: 409,
  erasure_begun: 409,
  erasure_canceled: 409,
  body_too_slow: 408,
  limit_reached: 409,
  registration_refused: 409,
  body_too_large: 413,
  media_type_unsupported: 415,
  expectation_unknown: 417,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof errors;

/**
 * Error response details: the seconds until a retry makes sense, the limit reached and its value, the rules that
 * prevent the change, or the name of the user who acknowledged first.
 */
export type ErrorDetails = {
  waitSeconds?: number;
  limit?: { of: LimitName; most: number };
  rules?: readonly { id: number; name: string }[];
  name?: string;
};

/** An expected failure that becomes the response to a request. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly fieldErrors: readonly FieldError[] | null;
  readonly waitSeconds: number | null;
  readonly limit: ErrorDetails['limit'];
  readonly rules: ErrorDetails['rules'];
  /** `ErrorDetails.name` would clash with the `name` of Error. */
  readonly acknowledgedBy: ErrorDetails['name'];
  constructor(code: ErrorCode, details: ErrorDetails & { fieldErrors?: readonly FieldError[] } = {}) {
    super(code);
    this.code = code;
    this.fieldErrors = details.fieldErrors ?? (code === 'bad_request' ? [] : null);
    this.waitSeconds = details.waitSeconds ?? null;
    this.limit = details.limit;
    this.rules = details.rules;
    this.acknowledgedBy = details.name;
  }
}

/** Fails the request with 400 for a value only the handler can check. */
export const refuse = (path: string, problem: Problem, values?: FieldError['values']): never => {
  throw new ApiError('bad_request', { fieldErrors: [{ path, problem, ...(values && { values }) }] });
};

/** Fails the request with 400 if there are errors, and lists them all. */
export const refuseAll = (fieldErrors: readonly FieldError[]): void => {
  if (fieldErrors.length > 0) throw new ApiError('bad_request', { fieldErrors });
};

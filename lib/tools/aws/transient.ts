import type { StackFailure } from './stacks.ts';

/**
 * The reasons reported by CloudFormation when AWS is not ready for a resource: another service does not yet know a
 * newly created resource or role, or calls were throttled. The same deployment succeeds a little later.
 */
const TRANSIENT = [
  // A web ACL and its association in one deployment.
  /WAFUnavailableEntity|AWS WAF couldn.t retrieve the resource/,
  // The API Gateway role for logs, once per account.
  /CloudWatch Logs role ARN must be set in account settings|role ARN does not have required permissions/i,
  // An IAM role that another service does not know yet.
  /role.* cannot be assumed|permissions required to assume the role|does not have permissions to call ReceiveMessage/i,
  // The error codes from CloudFormation handlers, except those for wrong properties and missing permissions.
  /HandlerErrorCode: (Throttling|ServiceInternalError|NetworkFailure|NotStabilized|InternalFailure)\b/,
  /Rate exceeded|Too Many Requests|ThrottlingException|TooManyUpdates|ConcurrentModification|ServiceUnavailable/i,
];

/** Whether repeating the deployment may be enough to resolve a failure. */
export const isTransient = ({ reason }: Pick<StackFailure, 'reason'>): boolean =>
  TRANSIENT.some((pattern) => pattern.test(reason));

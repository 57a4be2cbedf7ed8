import type { Finding, Linter } from './linters.ts';

/** An accepted finding: for all resources, or for those whose logical id or file matches `where`. */
type Accepted = { linter: Linter; rule: string; where?: RegExp; reason: string };

/**
 * All findings accepted in this project. `npm run check:template` fails on any other, and on rows without a finding.
 */
export const accepted: readonly Accepted[] = [
  {
    linter: 'cfn-lint',
    rule: 'W3005',
    where: /^devicedoorstage/,
    reason: 'The CDK adds this dependency, which is redundant and harmless.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_115',
    reason: 'A new account cannot reserve concurrency. The settings `concurrency` and `concurrencyCaps` do.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_116',
    reason:
      'Queues in front of the functions have dead letters. Schedules repeat their work, and callers of the API retry.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_117',
    reason:
      'The functions reach only AWS and public receivers. A NAT gateway would cost more than the rest of a small stage.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_173',
    reason: 'Lambda encrypts variables with a key of AWS. An own key would cost a call of KMS at each cold start.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_158',
    reason: 'Logs have ids, but neither names, messages nor secrets, and CloudWatch encrypts them with a key of AWS.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_27',
    reason: 'SQS encrypts with its own key. With one of KMS, a fall would depend on KMS as well.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_26',
    reason:
      'Alarms and reports of undelivered messages hold ids. CloudWatch, SES and others publish without a key policy.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_119',
    reason: 'DynamoDB encrypts with a key of AWS. With one of KMS, each read of a fall would depend on KMS as well.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_73',
    reason: 'Requests are traced by their id in logs and responses, without X-Ray.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_120',
    reason: 'A cache would show old alarms, and has a price by the hour.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_192',
    reason: 'Nothing behind the web ACL runs on Java.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_95',
    reason: 'Logging a report of a device costs more than queueing it (`deviceAccessLog`).',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_91',
    where: /^devicebalancer/,
    reason: 'Metrics of the load balancer count calls and errors. A log of each report would have to be stored.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_18',
    where: /^exports/,
    reason: 'An object lives for a day, and the audit log records who requested its download link.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_21',
    where: /^exports/,
    reason: 'An export is deleted for good when it expires or its subject is erased.',
  },
  {
    linter: 'parliament',
    rule: 'RESOURCE_STAR',
    where: /^deployer-policy/,
    reason:
      'These calls only read, and several of them have no resource. Who deploys may assume the bootstrap roles, which see more.',
  },
  {
    linter: 'parliament',
    rule: 'RESOURCE_EFFECTIVELY_STAR',
    where: /^recovery-policy/,
    reason: 'An event source mapping has no name. The condition limits the statement to functions of stages.',
  },
];

const accepts = ({ linter, rule, where }: Accepted, finding: Finding): boolean =>
  linter === finding.linter && rule === finding.rule && (where === undefined || where.test(finding.where));

/** Splits findings into accepted and new ones, and returns the rows without a finding, for linters that ran. */
export const judge = (findings: readonly Finding[], ran: readonly Linter[], rows: readonly Accepted[] = accepted) => ({
  fresh: findings.filter((finding) => !rows.some((row) => accepts(row, finding))),
  unused: rows.filter((row) => ran.includes(row.linter) && !findings.some((finding) => accepts(row, finding))),
});

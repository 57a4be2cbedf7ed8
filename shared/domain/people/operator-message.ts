import type { UrgentSituation } from '../rule/alarm.ts';

/** `runbook` is the runbook URL or path. `situations` has one entry per alarm. */
type MessageValues = {
  service: string;
  runbook: string;
  customerId: number;
  situations: readonly UrgentSituation[];
};

/**
 * Returns the message that alerts the service operators when no one was notified of a customer's alarms. It leaves the
 * service, so it names neither people nor rooms. SNS limits subjects to 99 ASCII characters.
 * https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export const operatorMessage = ({ service, runbook, customerId, situations }: MessageValues) => {
  const counts = [...Map.groupBy(situations, (situation) => situation)].map(
    ([name, { length }]) => `${length} ${name}`,
  );
  const subject = `Nobody was notified of alarms of customer ${customerId}`;
  return {
    subject,
    text: `${subject} (${service}): ${counts.join(', ')}. Call the customer now: somebody may need help. What to do: ${runbook}#alarms-unnotified. Further alarms of this customer are reported at most once an hour.`,
  };
};

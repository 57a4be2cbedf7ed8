import type { UrgentSituation } from '../rule/alarm.ts';

/** `runbook` is the URL or path of the runbook. `situations`: the situation of each alarm. */
type MessageValues = {
  service: string;
  runbook: string;
  customerId: number;
  situations: readonly UrgentSituation[];
};

/**
 * Returns the message that alerts the operators of the service when nobody was notified of a customer's alarms. It
 * names neither people nor rooms, because it leaves the service. SNS allows a subject of at most 99 ASCII characters.
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

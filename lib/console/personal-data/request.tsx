import { Button, Group, Text } from '@mantine/core';
import { ok } from '#lib/client/problem.ts';
import type { Erasure } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useMe } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { Name } from '../ui/name.tsx';
import { usePersonalDataTexts } from './texts.ts';

type RequestProps = { job: Erasure; customerId: number };

/** The buttons to approve and cancel a requested erasure. No one can approve their own request. */
const Answers = ({ job: { id: erasureId, actor, approvedBy }, customerId }: RequestProps) => {
  const texts = usePersonalDataTexts();
  const me = useMe();
  const confirm = useConfirm();
  const params = { path: { customerId, erasureId } };
  const refresh = [['personal data']];
  const approve = useWrite({
    send: () => ok(api.POST('/customers/{customerId}/erasures/{erasureId}/approval', { params })),
    done: texts.approved,
    refresh,
  });
  const cancel = useWrite({
    send: () => ok(api.DELETE('/customers/{customerId}/erasures/{erasureId}', { params })),
    done: texts.erasureCanceled,
    refresh,
  });
  const ask = async () => {
    const question = { title: texts.approveTitle, text: texts.confirm.customer, action: texts.approve };
    if (await confirm(question)) approve.mutate();
  };
  return (
    <Group gap="xs">
      {approvedBy === null && actor?.id !== String(me.id) && (
        <Button size="compact-xs" color="red" loading={approve.isPending} onClick={() => void ask()}>
          {texts.approve}
        </Button>
      )}
      <Button size="compact-xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {texts.cancelErasure}
      </Button>
    </Group>
  );
};

/** Who requested, approved or canceled an erasure, and when it begins. Empty if no approval was needed. */
export const ErasureRequest = ({ job, customerId }: RequestProps) => {
  const texts = usePersonalDataTexts();
  const dates = useDates();
  const { state, begins, actor, approvedBy, canceledBy } = job;
  if (begins === null) return null;
  const begin = dates.dateTime(begins);
  return (
    <>
      <Text size="xs">
        <Name>{texts.requestedBy(actor?.name ?? '?')}</Name>
      </Text>
      {approvedBy && (
        <Text size="xs">
          <Name>{texts.approvedBy(approvedBy.name ?? '?')}</Name>
        </Text>
      )}
      {canceledBy && (
        <Text size="xs">
          <Name>{texts.canceledBy(canceledBy.name ?? '?')}</Name>
        </Text>
      )}
      {state === 'requested' && (
        <>
          <Text size="xs">{approvedBy ? texts.beginsAt(begin) : texts.beginsOnceApproved(begin)}</Text>
          <Answers job={job} customerId={customerId} />
        </>
      )}
    </>
  );
};

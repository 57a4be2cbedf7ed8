import { Alert, Badge, Group, Stack, Text, TextInput } from '@mantine/core';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { Channel } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useDates } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { Name } from '../ui/name.tsx';
import { Section } from '../ui/section.tsx';
import { useChannelTexts } from './channel-texts.ts';
import { channelsQuery, self } from './queries.ts';
import { RemoveChannel } from './remove-channel.tsx';

type By = Exclude<Channel['by'], 'push'>;
type CodeChannelProps = { by: By; channel: Channel | undefined; isOutbox: boolean };

const types = { email: 'email', sms: 'tel', telegram: 'text' } as const;
const refresh = [channelsQuery.queryKey];

const ConfirmForm = ({ by }: { by: By }) => {
  const texts = useChannelTexts();
  const write = useWrite({
    send: (code: string) =>
      ok(api.POST('/users/{userId}/channels/{by}/proof', { params: { path: { ...self.path, by } }, body: { code } })),
    done: texts.confirmedNow,
    refresh,
    isQuiet: true,
  });
  return (
    <Form
      action={texts.confirm}
      isPending={write.isPending}
      onSubmit={(form) => write.mutate(fieldValues(form, 'code').code.trim())}
    >
      <TextInput
        name="code"
        label={texts.code}
        description={texts.codeSent}
        required
        maxLength={12}
        inputMode="numeric"
        autoComplete="one-time-code"
        error={faultOf(write.error, 'code') ?? write.error?.message}
      />
    </Form>
  );
};

const ChannelState = ({ channel: { provenDate, undeliverableDate } }: { channel: Channel }) => {
  const texts = useChannelTexts();
  if (undeliverableDate !== null) return <Badge color="red">{texts.undeliverable}</Badge>;
  if (provenDate === null) return <Badge color="yellow">{texts.unconfirmed}</Badge>;
  return <Badge color="green">{texts.confirmed}</Badge>;
};

/** Explains why the channel is undeliverable, and what to do. */
const Undeliverable = ({ channel: { undeliverableDate, undeliverableReason } }: { channel: Channel }) => {
  const texts = useChannelTexts();
  const dates = useDates();
  if (undeliverableDate === null) return null;
  return (
    <Alert color="red">{texts.undeliverableAt(dates.dateTime(undeliverableDate), undeliverableReason ?? '')}</Alert>
  );
};

/** A channel the user confirms with a code. Shows the address, the state, and fields to change it. */
export const CodeChannel = ({ by, channel, isOutbox }: CodeChannelProps) => {
  const texts = useChannelTexts();
  const write = useWrite({
    send: (address: string) =>
      ok(api.PUT('/users/{userId}/channels/{by}', { params: { path: { ...self.path, by } }, body: { address } })),
    refresh,
    isQuiet: true,
  });
  // People write numbers in groups of digits.
  const submit = (form: HTMLFormElement) =>
    write.mutate(fieldValues(form, 'address').address.replaceAll(/[\s()/]/g, ''));
  return (
    <Section title={texts.kinds[by]}>
      <Stack>
        {isOutbox && <Alert color="yellow">{texts.outbox}</Alert>}
        {channel && (
          <Group justify="space-between">
            <Text component="span">
              <Name>{channel.address ?? ''}</Name>
            </Text>
            <ChannelState channel={channel} />
            <RemoveChannel channel={channel} />
          </Group>
        )}
        {channel && <Undeliverable channel={channel} />}
        {channel && (channel.provenDate === null || channel.undeliverableDate !== null) && <ConfirmForm by={by} />}
        <Form action={texts.sendCode} isPending={write.isPending} onSubmit={submit}>
          <TextInput
            name="address"
            label={texts.addresses[by]}
            description={texts.hints[by]}
            type={types[by]}
            required
            maxLength={254}
            error={faultOf(write.error, 'address') ?? write.error?.message}
          />
        </Form>
      </Stack>
    </Section>
  );
};

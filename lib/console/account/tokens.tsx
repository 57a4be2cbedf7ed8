import { Alert, Button, Code, Group, NumberInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { AccessToken, AccessTokenCreation } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { type Column, List } from '../ui/list.tsx';

const KEY = ['access tokens'];
const DAY = 86_400_000;

const CreatedToken = ({ token }: { token: string }) => {
  const { account: texts } = useTexts();
  return (
    <Stack>
      <Alert color="yellow">{texts.shownOnce}</Alert>
      <Code block className="secret">
        {token}
      </Code>
      <CopyButton text={token} />
    </Stack>
  );
};

const NewToken = ({ userId, onCreated }: { userId: string; onCreated: (token: string) => void }) => {
  const { account: texts, create } = useTexts();
  const write = useWrite({
    send: (body: AccessTokenCreation) =>
      ok(api.POST('/users/{userId}/access-tokens', { params: { path: { userId } }, body })),
    refresh: [KEY],
    onDone: ({ token }) => onCreated(token),
  });
  const submit = (form: HTMLFormElement) => {
    const { name, days, readOnly } = fieldValues(form, 'name', 'days', 'readOnly');
    const expiresAt = days === '' ? null : Date.now() + Number(days) * DAY;
    write.mutate({ name, expiresAt, readOnly: readOnly !== '', permissions: null });
  };
  return (
    <Form action={create} isPending={write.isPending} onSubmit={submit}>
      <TextInput name="name" label={texts.tokenName} required maxLength={64} error={faultOf(write.error, 'name')} />
      <NumberInput
        name="days"
        label={texts.days}
        description={texts.noExpiry}
        min={1}
        max={3_650}
        allowDecimal={false}
      />
      <Switch name="readOnly" label={texts.readOnly} />
    </Form>
  );
};

const useColumns = (onRevoke: (token: AccessToken) => void): Column<AccessToken>[] => {
  const { account: texts, setup, never } = useTexts();
  const dates = useDates();
  const time = (value: number | null) => (value === null ? never : dates.dateTime(value));
  return [
    { head: texts.tokenName, cell: ({ name }) => name },
    { head: texts.prefix, cell: ({ prefix }) => <Code>{prefix}…</Code>, isMinor: true },
    { head: texts.lastUsed, cell: ({ lastUsed }) => time(lastUsed), isMinor: true },
    { head: texts.expires, cell: ({ expiresAt }) => time(expiresAt) },
    {
      head: setup.actions,
      cell: (token) => (
        <Button variant="default" size="xs" onClick={() => onRevoke(token)}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
};

/** Lists the user's access tokens, with buttons to create and revoke them. A new token is shown once. */
export const Tokens = () => {
  const { account: texts } = useTexts();
  const userId = String(useMe().id);
  const confirm = useConfirm();
  const [isOpen, setIsOpen] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const params = { path: { userId } };
  const query = useQuery({ queryKey: KEY, queryFn: () => ok(api.GET('/users/{userId}/access-tokens', { params })) });
  const revoke = useWrite({
    send: (tokenId: string) =>
      ok(api.DELETE('/users/{userId}/access-tokens/{tokenId}', { params: { path: { userId, tokenId } } })),
    done: texts.revoked,
    refresh: [KEY],
  });
  const ask = async ({ id, name }: AccessToken) => {
    const question = { title: texts.revokeTitle, text: texts.revokeText(name), action: texts.revoke };
    if (await confirm(question)) revoke.mutate(id);
  };
  const close = () => {
    setIsOpen(false);
    setCreated(null);
  };
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{texts.tokens}</Title>
        <Button onClick={() => setIsOpen(true)}>{texts.newToken}</Button>
      </Group>
      <Text mb="md">{texts.tokensExplain}</Text>
      <List
        label={texts.tokens}
        query={query}
        columns={useColumns((token) => void ask(token))}
        rowKey={({ id }) => id}
        empty={texts.noTokens}
      />
      <Dialog opened={isOpen} onClose={close} title={texts.newToken}>
        {created ? <CreatedToken token={created} /> : <NewToken userId={userId} onCreated={setCreated} />}
      </Dialog>
    </>
  );
};

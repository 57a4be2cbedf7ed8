import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Bot, BotUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { languageOptions, useDates, useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';

const pathOf = (botId: number) => ({ params: { path: { botId } } });

export const useBots = (customerId: number) =>
  useQuery({
    queryKey: ['bots', customerId],
    queryFn: () => ok(api.GET('/bots', { params: { query: { customerId } } })),
  });

type EditorProps = { bot: Bot | null; customerId: number; onDone: () => void };
const Editor = ({ bot, customerId, onDone }: EditorProps) => {
  const { bots: texts, setup, save: label } = useTexts();
  const [draft, change] = useDraft<BotUpdate>({ name: bot?.name ?? '', locale: bot?.locale ?? 'en' });
  const save = useWrite({
    send: (body: BotUpdate) =>
      bot
        ? ok(api.PUT('/bots/{botId}', { ...pathOf(bot.id), body }))
        : ok(api.POST('/bots', { body: { ...body, customerId } })),
    done: bot ? setup.saved : texts.created,
    refresh: [['bots']],
    onDone,
  });
  const field = fieldsOf(draft, change, save.error);
  return (
    <Form action={label} isPending={save.isPending} onSubmit={() => save.mutate(draft)}>
      <TextInput label={setup.name} required maxLength={64} data-autofocus {...field.text('name')} />
      <Select label={setup.language} {...field.choice('locale', languageOptions(setup.languages, draft.locale))} />
    </Form>
  );
};

const Actions = ({ bot: { id, name }, onEdit }: { bot: Bot; onEdit: () => void }) => {
  const { bots: texts, edit } = useTexts();
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={onEdit}>
        {edit}
      </Button>
      <AuditLink kind="bot" id={id} size="xs" />
      <DeleteButton
        size="xs"
        name={name}
        text={texts.deleteText}
        send={() => ok(api.DELETE('/bots/{botId}', pathOf(id)))}
        refresh={[['bots'], ['webhooks']]}
      />
    </Group>
  );
};

const Bots = ({ customerId }: { customerId: number }) => {
  const { bots: texts, setup } = useTexts();
  const dates = useDates();
  const [edited, setEdited] = useState<Bot | 'new' | null>(null);
  const bot = edited === 'new' ? null : edited;
  return (
    <>
      <Head title={texts.title}>
        <Button onClick={() => setEdited('new')}>{texts.create}</Button>
      </Head>
      <Text mb="md">{texts.explain}</Text>
      <List<Bot>
        label={texts.title}
        query={useBots(customerId)}
        rowKey={({ id }) => id}
        empty={texts.empty}
        columns={[
          { head: setup.name, cell: ({ name }) => <Name>{name}</Name> },
          {
            head: setup.language,
            cell: ({ locale }) => languageOptions(setup.languages, locale)[locale] ?? locale,
            isMinor: true,
          },
          { head: setup.created, cell: ({ createDate }) => dates.dateTime(createDate), isMinor: true },
          { head: setup.actions, cell: (bot) => <Actions bot={bot} onEdit={() => setEdited(bot)} /> },
        ]}
      />
      <Dialog opened={edited !== null} onClose={() => setEdited(null)} title={bot?.name ?? texts.create}>
        <Editor bot={bot} customerId={customerId} onDone={() => setEdited(null)} />
      </Dialog>
    </>
  );
};

export const BotsPage = () => {
  const { bots: texts } = useTexts();
  return (
    <WithCustomer fallback={<Head title={texts.title} />}>
      {(customerId) => <Bots customerId={customerId} />}
    </WithCustomer>
  );
};

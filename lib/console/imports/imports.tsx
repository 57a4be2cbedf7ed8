import { Button, Input, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Import, ImportResult } from '#openapi';
import { useWrite } from '../api/write.ts';
import { useCan } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { Head } from '../ui/head.tsx';
import { Panel } from '../ui/panel.tsx';
import { Failed, Loaded } from '../ui/states.tsx';
import { Template } from './columns.tsx';
import { RowErrors } from './errors.tsx';
import { importQuery, rowErrorsIn, sendFile } from './send.ts';
import { decodeFile, type Kind } from './template.ts';
import { useImportTexts } from './texts.ts';

const pages: Readonly<Record<Kind, string>> = { users: '/users', sensors: '/sensors', rules: '/rules' };
/** The lists an import changes. */
const LISTS = [['users'], ['sensors'], ['groups'], ['rules'], ['roster']] as const;

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

type Checked = { result: ImportResult; kind: Kind; isPending: boolean; onImport: () => void };
/** What a checked file would change, and the button to import it. */
const Checked = ({ result: { rows, created, updated }, kind, isPending, onImport }: Checked) => {
  const { check: texts } = useImportTexts();
  const dates = useDates();
  const changed = created + updated;
  return (
    <Panel title={texts.title}>
      <dl className="facts import-facts">
        <Fact name={texts.rows}>{dates.number(rows)}</Fact>
        <Fact name={texts[kind].created}>{dates.number(created)}</Fact>
        <Fact name={texts[kind].updated}>{dates.number(updated)}</Fact>
        <Fact name={texts.unchanged}>{dates.number(rows - changed)}</Fact>
      </dl>
      {changed === 0 ? (
        <Text>{texts.nothing}</Text>
      ) : (
        <Button loading={isPending} onClick={onImport}>
          {texts.action(rows)}
        </Button>
      )}
    </Panel>
  );
};

/** Shows the progress of an import, and the result at the end. */
const Running = ({ job, onAnother }: { job: Import; onAnother: () => void }) => {
  const texts = useImportTexts();
  const dates = useDates();
  const client = useQueryClient();
  const { state, kind, rows, created, updated, errors } = job;
  useEffect(() => {
    if (state !== 'running') for (const queryKey of LISTS) void client.invalidateQueries({ queryKey });
  }, [state, client]);
  if (state === 'running')
    return (
      <Panel title={texts.running(rows)}>
        <div role="status">
          <Loader type="dots" color="dark" />
          <Text>{texts.runningHint}</Text>
        </div>
      </Panel>
    );
  const buttons = (
    <div className="import-buttons">
      <Button component={Link} href={pages[kind]}>
        {texts.toList}
      </Button>
      <Button variant="default" onClick={onAnother}>
        {texts.another}
      </Button>
    </div>
  );
  // An import that took too long ends without errors in rows.
  if (state === 'failed' && errors.length === 0)
    return (
      <Panel title={texts.unfinished} isGap>
        <Text mb="sm">{texts.unfinishedHint}</Text>
        {buttons}
      </Panel>
    );
  return (
    <>
      {errors.length > 0 && <RowErrors title={texts.failed} explain={texts.failedHint} errors={errors} />}
      <Panel title={errors.length > 0 ? texts.title : texts.completed}>
        <dl className="facts import-facts">
          <Fact name={texts.check.rows}>{dates.number(rows)}</Fact>
          <Fact name={texts.done.created}>{dates.number(created)}</Fact>
          <Fact name={texts.done.updated}>{dates.number(updated)}</Fact>
        </dl>
        {buttons}
      </Panel>
    </>
  );
};

type FileProps = { customerId: number; kind: Kind; onBegin: (importId: string) => void };
/** Lets the user choose a file, checks it at once, and imports it after the user has seen what would change. */
const ImportFile = ({ customerId, kind, onBegin }: FileProps) => {
  const texts = useImportTexts();
  const [text, setText] = useState('');
  const check = useMutation({ mutationFn: (content: string) => sendFile({ customerId, kind, text: content }, true) });
  const begin = useWrite({
    send: () => sendFile({ customerId, kind, text }, false),
    onDone: ({ id }) => id !== undefined && onBegin(id),
  });
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const content = decodeFile(await file.arrayBuffer());
    setText(content);
    check.mutate(content);
  };
  const errors = rowErrorsIn(check.error);
  return (
    <>
      <Panel title={texts.file}>
        <Input.Wrapper label={texts.choose} id="import-file">
          <input
            id="import-file"
            className="import-file"
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
            // Lets the user choose the same file again after correcting it.
            onClick={({ currentTarget }) => {
              currentTarget.value = '';
            }}
          />
        </Input.Wrapper>
        {check.isPending && <Text role="status">{texts.checking}</Text>}
      </Panel>
      {errors.length > 0 && (
        <RowErrors title={texts.errors.title(errors.length)} explain={texts.errors.explain} errors={errors} />
      )}
      {check.error && errors.length === 0 && <Failed error={check.error} onRetry={() => check.mutate(text)} />}
      {check.data && (
        <Checked result={check.data} kind={kind} isPending={begin.isPending} onImport={() => begin.mutate()} />
      )}
    </>
  );
};

const needs = { users: 'manage_users', sensors: 'manage_sensors', rules: 'manage_rules' } as const;

const Imports = ({ customerId }: { customerId: number }) => {
  const texts = useImportTexts();
  const can = useCan();
  const [search, setSearch] = useSearchParams();
  const offered = (Object.keys(needs) as Kind[]).filter((kind) => can(needs[kind]));
  const kind = offered.find((one) => one === search.get('kind')) ?? offered[0] ?? 'users';
  const importId = search.get('import');
  const job = useQuery(importQuery(customerId, importId));
  if (importId !== null)
    return (
      <Loaded query={job}>
        {(found) => <Running job={found} onAnother={() => setSearch({ kind: found.kind })} />}
      </Loaded>
    );
  return (
    <>
      <Text>{texts.explain}</Text>
      {offered.length > 1 && (
        <Choice
          label={texts.kind}
          options={Object.fromEntries(offered.map((one) => [one, texts.kinds[one]])) as Partial<Record<Kind, string>>}
          value={kind}
          onChange={(next) => setSearch({ kind: next }, { replace: true })}
        />
      )}
      <Template kind={kind} />
      <ImportFile
        key={kind}
        customerId={customerId}
        kind={kind}
        // The URL contains the import id, so the page can be reloaded.
        onBegin={(id) => setSearch({ kind, import: id })}
      />
    </>
  );
};

/** The page that imports users, sensors and rules from a file. */
export const ImportsPage = () => {
  const texts = useImportTexts();
  return (
    <>
      <Head title={texts.title} />
      <WithCustomer>
        {(customerId) => (
          <Stack className="narrow">
            <Imports customerId={customerId} />
          </Stack>
        )}
      </WithCustomer>
    </>
  );
};

/** A link to the import page for one kind of data, for users who may import it. */
export const ImportLink = ({ kind }: { kind: Kind }) => {
  const texts = useImportTexts();
  if (!useCan()(needs[kind])) return null;
  return (
    <Button component={Link} href={`/imports?kind=${kind}`} variant="default">
      {texts.title}
    </Button>
  );
};

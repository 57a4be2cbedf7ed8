import { Button, Table, Text } from '@mantine/core';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { Panel } from '../ui/panel.tsx';
import { type Kind, templateOf, templates } from './template.ts';
import { useImportTexts } from './texts.ts';

/** The rule situations, each with the word that stands for it in a file. */
const Situations = () => {
  const { situations } = useTexts();
  const texts = useImportTexts();
  return (
    <details className="import-values">
      <summary>{texts.situations}</summary>
      <dl className="facts">
        {Object.entries(situations).map(([value, name]) => (
          <div key={value}>
            <dt>{value}</dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

/** A file template, and what belongs in each column. */
export const Template = ({ kind }: { kind: Kind }) => {
  const texts = useImportTexts();
  const locale = useLocale();
  const hints: Readonly<Record<string, string>> = texts.hints[kind];
  const required: readonly string[] = templates[kind].required;
  return (
    <Panel title={texts.template}>
      <Text mb="md">{texts.templateHint}</Text>
      <Button
        component="a"
        variant="default"
        href={`data:text/csv;charset=utf-8,${encodeURIComponent(templateOf(kind, locale))}`}
        download={`${kind}.csv`}
      >
        {texts.download}
      </Button>
      <details className="import-values">
        <summary>{texts.columns}</summary>
        <Table aria-label={texts.columns} className="import-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.column}</Table.Th>
              <Table.Th>{texts.meaning}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Object.keys(templates[kind].example).map((name) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  {hints[name]}
                  {required.includes(name) && ` (${texts.required})`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
      {kind === 'rules' && <Situations />}
    </Panel>
  );
};

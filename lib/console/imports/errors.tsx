import { Table, Text } from '@mantine/core';
import { Panel } from '../ui/panel.tsx';
import type { rowErrorsIn } from './send.ts';
import { useImportTexts } from './texts.ts';

/** The maximum number of listed errors. */
const MAX_LISTED = 500;

type ErrorsProps = { title: string; explain: string; errors: ReturnType<typeof rowErrorsIn> };

/** Lists the errors in individual rows. */
export const RowErrors = ({ title, explain, errors }: ErrorsProps) => {
  const { errors: texts } = useImportTexts();
  const listed = errors.slice(0, MAX_LISTED);
  return (
    <Panel title={title} isGap>
      <Text mb="sm">{explain}</Text>
      <Table aria-label={title} className="import-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.row}</Table.Th>
            <Table.Th>{texts.field}</Table.Th>
            <Table.Th>{texts.message}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {listed.map(({ row, field, message }) => (
            <Table.Tr key={`${row} ${field} ${message}`}>
              <Table.Td>{row ?? texts.ofFile}</Table.Td>
              <Table.Td>{field}</Table.Td>
              <Table.Td>{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {errors.length > listed.length && <Text mt="sm">{texts.more(errors.length - listed.length)}</Text>}
    </Panel>
  );
};

import { Stack, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useMe } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Erasures } from './erasures.tsx';
import { Exports } from './exports.tsx';
import { StartJob } from './start-job.tsx';
import { isNoCustomer, subjectFrom, useSubjectName } from './subject-choice.ts';
import { usePersonalDataTexts } from './texts.ts';

/** The customer this page is about. The URL may name a different customer than the header does. */
const CustomerLine = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const name = useSubjectName(customerId, { kind: 'customer', id: null });
  return <Text fw={600}>{isNoCustomer(customerId) ? texts.ofNone : texts.ofCustomer(name)}</Text>;
};

const PersonalData = ({ customerId }: { customerId: number }) => {
  const [params] = useSearchParams();
  const { isAdmin } = useMe();
  return (
    <Stack gap="lg">
      {isAdmin && <CustomerLine customerId={customerId} />}
      <StartJob key={`${customerId} ${params}`} customerId={customerId} initial={subjectFrom(params)} />
      <Exports customerId={customerId} />
      <Erasures customerId={customerId} />
    </Stack>
  );
};

/**
 * The page where personal data is exported and erased. System admins can choose any customer, or data without a
 * customer.
 */
export const PersonalDataPage = () => {
  const { personalData: title } = useTexts();
  const { explain } = usePersonalDataTexts();
  const { isAdmin } = useMe();
  const [params] = useSearchParams();
  const requested = params.get('customer') ?? '';
  return (
    <>
      <Head title={title} />
      <Text mb="md">{explain}</Text>
      {isAdmin && /^\d{1,15}$/.test(requested) ? (
        <PersonalData customerId={Number(requested)} />
      ) : (
        <WithCustomer>{(customerId) => <PersonalData customerId={customerId} />}</WithCustomer>
      )}
    </>
  );
};

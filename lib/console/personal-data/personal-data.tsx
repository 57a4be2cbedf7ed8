import { Stack, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useMe } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Begin } from './begin.tsx';
import { chosenIn, isOfNone, useNameOf } from './chosen.ts';
import { Erasures } from './erasures.tsx';
import { Exports } from './exports.tsx';
import { usePersonalDataTexts } from './texts.ts';

/** System admins see whose page it is: its address may name another customer than the one that is chosen above. */
const Whose = ({ customerId }: { customerId: number }) => {
  const texts = usePersonalDataTexts();
  const name = useNameOf(customerId, { kind: 'customer', id: null });
  return <Text fw={600}>{isOfNone(customerId) ? texts.ofNone : texts.ofCustomer(name)}</Text>;
};

const Of = ({ customerId }: { customerId: number }) => {
  const [params] = useSearchParams();
  const { isAdmin } = useMe();
  return (
    <Stack gap="lg">
      {isAdmin && <Whose customerId={customerId} />}
      <Begin key={`${customerId} ${params}`} customerId={customerId} at={chosenIn(params)} />
      <Exports customerId={customerId} />
      <Erasures customerId={customerId} />
    </Stack>
  );
};

/** The page where what is kept of somebody is exported and erased; for system admins of any customer, or of none. */
export const PersonalDataPage = () => {
  const { personalData: title } = useTexts();
  const { explain } = usePersonalDataTexts();
  const { isAdmin } = useMe();
  const [params] = useSearchParams();
  const asked = params.get('customer') ?? '';
  return (
    <>
      <Head title={title} />
      <Text mb="md">{explain}</Text>
      {isAdmin && /^\d{1,15}$/.test(asked) ? (
        <Of customerId={Number(asked)} />
      ) : (
        <OfCustomer>{(customerId) => <Of customerId={customerId} />}</OfCustomer>
      )}
    </>
  );
};

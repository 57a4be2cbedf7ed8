import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Subject } from '#openapi';
import { api } from '../api/client.ts';
import { useMe } from '../session/session.tsx';
import { useSensor } from '../ui/sensor-select.tsx';

/** The chosen subject. A chosen customer is always the one the page is about, so the `id` is not used. */
export type SubjectChoice = { kind: Subject['kind']; id: string | null };

/** Stands for data without a customer, which only system admins can see. */
export const NO_CUSTOMER = 0;
export const isNoCustomer = (customerId: number): boolean => customerId === NO_CUSTOMER;

/** Returns the subject preselected by the page URL. */
export const subjectFrom = (params: URLSearchParams): SubjectChoice => ({
  kind: (['customer', 'sensor'] as const).find((kind) => kind === params.get('kind')) ?? 'user',
  id: params.get('id'),
});

/** Returns the subject for the API, or null while none is chosen. */
export const subjectOf = (customerId: number, { kind, id }: SubjectChoice): Subject | null => {
  if (kind === 'customer') return { kind, id: customerId };
  if (id === null) return null;
  return kind === 'sensor' ? { kind, id } : { kind, id: Number(id) };
};

/** Returns the subject name, or the id if the subject no longer exists. */
export const useSubjectName = (customerId: number, { kind, id }: SubjectChoice): string => {
  const me = useMe();
  const sensor = useSensor(kind === 'sensor' ? id : null);
  const user = useQuery({
    queryKey: ['user', id, 'name'],
    queryFn: () => ok(api.GET('/users/{userId}', { params: { path: { userId: id ?? '' } } })),
    enabled: kind === 'user' && id !== null && id !== String(me.id),
    staleTime: 60_000,
  });
  const customer = useQuery({
    queryKey: ['customer', customerId, 'name'],
    queryFn: () => ok(api.GET('/customers/{customerId}', { params: { path: { customerId } } })),
    enabled: kind === 'customer' && !isNoCustomer(customerId),
    staleTime: 60_000,
  });
  if (kind === 'customer') return customer.data?.name ?? String(customerId);
  if (id === String(me.id) && kind === 'user') return me.username;
  return (kind === 'sensor' ? sensor.data?.name : user.data?.username) ?? id ?? '';
};

/** Whether the subject is the current user, whom someone else has to erase. */
export const useIsSelf = ({ kind, id }: SubjectChoice): boolean => {
  const me = useMe();
  return kind === 'user' && id === String(me.id);
};

/** Whether an erasure is only requested, because someone else has to approve it. */
export const useNeedsApproval = ({ kind }: SubjectChoice): boolean => {
  const { isAdmin } = useMe();
  return kind === 'customer' && !isAdmin;
};

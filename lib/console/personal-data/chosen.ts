import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Subject } from '#openapi';
import { api } from '../api/client.ts';
import { useMe } from '../session/session.tsx';
import { useSensor } from '../ui/sensor-select.tsx';

/** Whose data it is about, as far as it is chosen. A customer is that of the page, and needs no id. */
export type Chosen = { kind: Subject['kind']; id: string | null };

/** Under this customer is what is of none, for system admins. */
export const OF_NONE = 0;
export const isOfNone = (customerId: number): boolean => customerId === OF_NONE;

/** What the address of the page chooses beforehand. */
export const chosenIn = (params: URLSearchParams): Chosen => ({
  kind: (['customer', 'sensor'] as const).find((kind) => kind === params.get('kind')) ?? 'user',
  id: params.get('id'),
});

/** The subject for the API; null while it is not chosen. */
export const subjectOf = (customerId: number, { kind, id }: Chosen): Subject | null => {
  if (kind === 'customer') return { kind, id: customerId };
  if (id === null) return null;
  return kind === 'sensor' ? { kind, id } : { kind, id: Number(id) };
};

/** The name of whom it is about. Who is found no more has only an id. */
export const useNameOf = (customerId: number, { kind, id }: Chosen): string => {
  const me = useMe();
  const sensor = useSensor(kind === 'sensor' ? id : null);
  const user = useQuery({
    queryKey: ['user', id, 'name'],
    queryFn: () => ok(api.GET('/users/{userId}', { params: { path: { userId: Number(id) } } })),
    enabled: kind === 'user' && id !== null && id !== String(me.id),
    staleTime: 60_000,
  });
  const customer = useQuery({
    queryKey: ['customer', customerId, 'name'],
    queryFn: () => ok(api.GET('/customers/{customerId}', { params: { path: { customerId } } })),
    enabled: kind === 'customer' && !isOfNone(customerId),
    staleTime: 60_000,
  });
  if (kind === 'customer') return customer.data?.name ?? String(customerId);
  if (id === String(me.id) && kind === 'user') return me.username;
  return (kind === 'sensor' ? sensor.data?.name : user.data?.username) ?? id ?? '';
};

/** Does an erasure take the user who begins it? */
export const useIsSelf = (customerId: number, { kind, id }: Chosen): boolean => {
  const me = useMe();
  return kind === 'customer' ? customerId === me.customerId : kind === 'user' && id === String(me.id);
};

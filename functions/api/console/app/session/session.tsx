import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { User } from 'openapi';
import { createContext, type ReactNode, use } from 'react';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { may, type Needs } from './may.ts';

const Me = createContext<User | null>(null);

/** Who is logged in; undefined while that is not known yet, null when nobody is. */
export const useSession = () => useQuery(meQuery);

export const MeProvider = ({ me, children }: { me: User; children: ReactNode }) => <Me value={me}>{children}</Me>;

/** The user, on every page that is for users. */
export const useMe = (): User => {
  const me = use(Me);
  if (!me) throw new Error('nobody is logged in');
  return me;
};

/** Is what needs this to be offered to the user? */
export const useMay = () => {
  const me = useMe();
  return (needs?: Needs): boolean => may(me, needs);
};

/** Forgets what a user saw. Who is logged in is kept: it is what the pages look at. */
const forget = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] });

type Credentials = { username: string; password: string };

/** Logs in, without anything of what another user saw before. */
export const useLogin = () => {
  const client = useQueryClient();
  return useWrite({
    send: (body: Credentials) => ok(api.POST('/users/login', { body })),
    onDone: (user) => {
      forget(client);
      client.setQueryData(meQuery.queryKey, user);
    },
  });
};

export const useLogout = () => {
  const client = useQueryClient();
  return useWrite({
    send: () => ok(api.POST('/users/logout')),
    onDone: () => {
      forget(client);
      client.setQueryData(meQuery.queryKey, null);
    },
  });
};

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { api } from '../api/client.ts';
import { clearUserData, loggingOutKey, meQuery, storeDisplay } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { can, type Needs } from './permissions.ts';

const Me = createContext<User | null>(null);

/** The query for the logged-in user: undefined while loading, null when no one is logged in. */
export const useSession = () => useQuery(meQuery);

export const MeProvider = ({ me, children }: { me: User; children: ReactNode }) => <Me value={me}>{children}</Me>;

/** Returns the logged-in user. Works only inside MeProvider. */
export const useMe = (): User => {
  const me = use(Me);
  if (!me) throw new Error('nobody is logged in');
  return me;
};

/** Returns a function that checks whether the console offers an action to the user. */
export const useCan = () => {
  const me = useMe();
  return (needs?: Needs): boolean => can(me, needs);
};

type Credentials = { username: string; password: string; otp?: string; display?: true };

/** Logs in, and clears the previous user's data. Calls `onOtp` when a code is also required. */
export const useLogin = (onOtp: () => void) => {
  const client = useQueryClient();
  return useWrite({
    send: async (body: Credentials) => {
      const answer = await api.POST('/users/login', { body });
      const needsOtp = answer.error !== undefined && 'otpRequired' in answer.error;
      return needsOtp ? null : ok(Promise.resolve(answer));
    },
    onDone: (user) => {
      if (!user) return onOtp();
      clearUserData(client);
      // A display has none of the permissions of the user who logged in.
      const me = user.display ? { ...user, isAdmin: false, permissions: [] } : user;
      storeDisplay(me);
      client.setQueryData(meQuery.queryKey, me);
    },
  });
};

export const useLogout = () => {
  const client = useQueryClient();
  return useWrite({
    send: async () => {
      client.setQueryData(loggingOutKey, true);
      try {
        return await ok(api.POST('/users/logout'));
      } catch (error) {
        client.removeQueries({ queryKey: loggingOutKey });
        throw error;
      }
    },
    onDone: ({ url }) => {
      clearUserData(client);
      storeDisplay(null);
      client.setQueryData(meQuery.queryKey, null);
      if (url !== undefined) location.assign(url);
    },
  });
};

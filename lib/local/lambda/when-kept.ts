import type { Runtime } from '#shared/runtime/deps.ts';
import type { Messengers } from '#shared/runtime/messengers.ts';

type Outgoing = Pick<Runtime, 'webhookClient' | 'mail' | 'messengers' | 'publish'>;

/**
 * Holds back everything that leaves this process until all earlier writes are on disk. An attempt is therefore counted
 * before it is made, and a power loss cannot undo an id, number or text that was already sent. Handlers are unaware of
 * this.
 */
export const whenKept = <O extends Outgoing>(kept: () => Promise<void>, outgoing: O): O => {
  const after =
    <A extends unknown[], R>(send: (...message: A) => Promise<R>) =>
    async (...message: A): Promise<R> => {
      await kept();
      return send(...message);
    };
  const messengersAfter = ({ sms, smsGateway, telegram, pushFile }: Messengers): Messengers => ({
    ...(sms && { sms: after(sms) }),
    ...(smsGateway && { smsGateway: after(smsGateway) }),
    ...(telegram && { telegram: after(telegram) }),
    ...(pushFile && { pushFile: after(pushFile) }),
  });
  const { webhookClient, mail, messengers, publish } = outgoing;
  return {
    ...outgoing,
    webhookClient: async () => {
      const client = await webhookClient();
      return { ...client, post: after(client.post) };
    },
    mail: after(mail),
    ...(messengers && { messengers: async () => messengersAfter(await messengers()) }),
    ...(publish && { publish: after(publish) }),
  };
};

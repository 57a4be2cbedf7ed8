import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { Bot, BotUpdate, NewBot } from '#shared/domain/people/bot.ts';
import { idText, Status } from '#shared/domain/values.ts';

const ByBot = z.object({ botId: idText });

export const bots = group({
  name: 'bots',
  about: 'Accounts that own webhooks and receive rule notifications, but cannot log in',
  operations: {
    listBots: {
      method: 'GET',
      path: '/bots',
      summary: 'List bots',
      description: "Returns all of a customer's bots.",
      auth: 'user',
      may: 'manage_bots',
      query: z.object({ customerId: idText.optional() }),
      success: 200,
      response: z.array(Bot),
      uses: ['bots.list'],
    },
    createBot: {
      method: 'POST',
      path: '/bots',
      summary: 'Create a bot',
      description: 'A bot owns webhooks, through which rules notify it. It cannot log in.',
      auth: 'user',
      may: 'manage_bots',
      body: NewBot,
      success: 201,
      response: Bot,
      errors: ['limit_reached'],
      uses: ['customers.get', 'limits.nextNumber', 'bots.create', 'keep:quotas'],
    },
    getBot: {
      method: 'GET',
      path: '/bots/{botId}',
      summary: 'Get a bot',
      auth: 'user',
      may: 'manage_bots',
      within: 'bot',
      params: ByBot,
      success: 200,
      response: Bot,
      errors: ['bot_not_found'],
      uses: ['bots.get'],
    },
    updateBot: {
      method: 'PUT',
      path: '/bots/{botId}',
      summary: 'Update a bot',
      description: "Replaces a bot's name, location and locale.",
      auth: 'user',
      may: 'manage_bots',
      within: 'bot',
      params: ByBot,
      body: BotUpdate,
      success: 200,
      response: Bot,
      errors: ['bot_not_found'],
      uses: ['bots.update'],
    },
    deleteBot: {
      method: 'DELETE',
      path: '/bots/{botId}',
      summary: 'Delete a bot and its webhooks',
      description:
        'Rules that name the bot are kept. Their other recipients are still notified, and rule hits show that the ' +
        'bot was not. A later update to such a rule must name existing recipients.',
      auth: 'user',
      may: 'manage_bots',
      within: 'bot',
      params: ByBot,
      success: 200,
      response: Status,
      errors: ['bot_not_found'],
      uses: ['bots.remove', 'bots.forget', 'webhooks.list', 'webhooks.remove'],
    },
  },
});

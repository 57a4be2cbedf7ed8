import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { Bot, NewBot } from '../../shared/domain/bot.ts';
import { idText } from '../../shared/domain/values.ts';

export const bots = group({
  name: 'bots',
  operations: {
    listBots: {
      method: 'GET',
      path: '/bots',
      summary: 'List the bots of a customer',
      auth: 'user',
      may: 'manage_bots',
      query: z.object({ customerId: idText.optional() }),
      success: 200,
      response: z.array(Bot),
      uses: ['table:read'],
    },
    createBot: {
      method: 'POST',
      path: '/bots',
      summary: 'Create a bot: an account that holds webhooks and cannot log in',
      auth: 'user',
      may: 'manage_bots',
      body: NewBot,
      success: 201,
      response: Bot,
      uses: ['table:write'],
    },
    getBot: {
      method: 'GET',
      path: '/bots/{botId}',
      summary: 'Get a bot',
      auth: 'user',
      may: 'manage_bots',
      within: 'bot',
      params: z.object({ botId: idText }),
      success: 200,
      response: Bot,
      errors: ['bot_not_found'],
      uses: ['table:read'],
    },
  },
});

export const bots = {
  title: 'Bots',
  create: 'New bot',
  explain: 'A bot is an account that cannot log in: rules tell it by its webhooks, in its language.',
  empty: 'No bot yet. A rule tells its recipients by the webhooks of bots.',
  made: 'The bot is there. Give it a webhook next.',
  deleteText: 'Its webhooks go with it. Rules that name it tell their other recipients.',
  rename: 'Change',
};

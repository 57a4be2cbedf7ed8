/** The English texts that the pages for setting up share. */
export const setup = {
  chooseCustomer: 'Choose a customer at the top to see what belongs to it.',
  noCustomer: 'There is no customer yet: the home that sensors, rules and users belong to.',
  ofNoCustomer: 'You belong to no customer, so there is nothing to see. A system admin can make you one of its users.',
  shownOnce: 'Copy it now: it is shown only this once.',
  name: 'Name',
  changed: 'Changed',
  created: 'Created',
  saved: 'Saved.',
  deleted: 'Deleted.',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  state: 'State',
  actions: 'Actions',
  on: 'On',
  off: 'Off',
  language: 'Language',
  languages: { en: 'English', de: 'Deutsch' } as Record<string, string>,
};

/** The English texts that the pages for setting up share. */
export const setup = {
  chooseCustomer: 'Choose a customer at the top to see what belongs to it.',
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
  readOnly: 'You may look at this, but not change it.',
  language: 'Language',
  languages: { en: 'English', de: 'Deutsch' } as Record<string, string>,
};

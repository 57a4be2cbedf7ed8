/** The names of the settings for a server login. */
type LoginNames = { url: string; user: string; passwordFile: string; server: string };
type Login = {
  /** The login in the server address. Empty if the address contains none. */
  inUrl: { user: string; password: string };
  user: string | null;
  passwordFile: string | null;
};

/** Returns a sentence for each login setting that conflicts with another one. */
export const loginProblems = ({ inUrl, user, passwordFile }: Login, names: LoginNames): string[] => {
  const hasUser = inUrl.user !== '' || user !== null;
  const hasPassword = inUrl.password !== '' || passwordFile !== null;
  return [
    ...(inUrl.user !== '' && user !== null ? [`${names.user} must not be set where ${names.url} has a user`] : []),
    ...(inUrl.password !== '' && passwordFile !== null
      ? [`${names.passwordFile} must not be set where ${names.url} has a password`]
      : []),
    ...(hasUser && !hasPassword
      ? [`${names.passwordFile} is missing: the user of ${names.server} has no password`]
      : []),
    ...(hasPassword && !hasUser ? [`${names.user} is missing: the password of ${names.server} has no user`] : []),
  ];
};

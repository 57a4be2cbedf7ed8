import { group } from '../../shared/api/operation.ts';
import { Login, PasswordReset, PasswordResetRequest, User } from '../../shared/domain/user.ts';
import { Status } from '../../shared/domain/values.ts';

export const auth = group({
  name: 'auth',
  operations: {
    login: {
      method: 'POST',
      path: '/users/login',
      summary: 'Log in',
      description: 'Answers with the user, the session token in the header `Token`, and the session cookies.',
      auth: 'anyone',
      csrfExempt: true,
      body: Login,
      success: 200,
      response: User,
      describedHeaders: {
        Token: 'The token of the session, for `Authorization: Bearer`',
        'Set-Cookie': 'PSAUTHTOKEN (the token), PSUSERID and PSCSRF (for `X-CSRF-Token`), for a day',
      },
      errors: ['credentials_invalid'],
      uses: ['table:write', 'hash:passwords'],
    },
    requestPasswordReset: {
      method: 'POST',
      path: '/users/password-reset',
      summary: 'Ask for a code that resets a password, by mail',
      description: 'The answer and its time are the same whether there is such a user or not.',
      auth: 'anyone',
      body: PasswordResetRequest,
      success: 202,
      response: Status,
      uses: ['table:write', 'send:mail'],
    },
    confirmPasswordReset: {
      method: 'POST',
      path: '/users/password-reset/confirm',
      summary: 'Set a new password by the code of the mail, once; all sessions end',
      auth: 'anyone',
      body: PasswordReset,
      success: 200,
      response: Status,
      errors: ['reset_code_invalid'],
      uses: ['table:write', 'hash:passwords'],
    },
    logout: {
      method: 'POST',
      path: '/users/logout',
      summary: 'End the session',
      auth: 'session',
      may: 'logged_in',
      success: 200,
      response: Status,
      describedHeaders: { 'Set-Cookie': 'Ends the three cookies of the login' },
      uses: ['table:write'],
    },
  },
});

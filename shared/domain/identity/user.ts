import * as z from 'zod';
import { id, int64, isValidText, millis, storedText, text, validTextPattern } from '../values.ts';
import { email } from './email.ts';
import { DEFAULT_LOCALE } from './language.ts';
import { Locale } from './locale.ts';
import { OtpCode } from './otp.ts';
import { Permission } from './permission.ts';

const PASSWORD_BYTES = { min: 10, max: 1_024 } as const;

/**
 * A new password: 10..1,024 bytes in UTF-8, excluding the characters forbidden in other text. Common passwords are
 * rejected when the password is set, not by this schema.
 */
const NewPassword = z
  .string()
  .check((ctx) => {
    const bytes = Buffer.byteLength(ctx.value);
    const fits = bytes >= PASSWORD_BYTES.min && bytes <= PASSWORD_BYTES.max;
    const problem = isValidText(ctx.value) ? { key: 'password_length', ...PASSWORD_BYTES } : { key: 'text_characters' };
    if (!fits || problem.key === 'text_characters')
      ctx.issues.push({ code: 'custom', input: ctx.value, params: problem });
  })
  .meta({
    maxLength: PASSWORD_BYTES.max,
    ...validTextPattern,
    description: `${PASSWORD_BYTES.min} to ${PASSWORD_BYTES.max} bytes in UTF-8; common passwords are rejected`,
  });

const Username = text(1, 64);

const Profile = z.object({
  firstName: text(0, 64),
  lastName: text(0, 64),
  email,
  telegramId: text(1, 64).nullable(),
  mobileNumber: text(1, 64).nullable(),
});

/** How many days an invitation stays valid, and how many invitations a customer can send per day. */
export const INVITATION_DAYS = 7;
export const INVITATIONS_PER_DAY = 100;

/** The body of POST /users. */
export const NewUser = Profile.extend({
  customerId: id.nullable().optional(),
  username: Username,
  password: NewPassword.optional(),
  invite: z.boolean().default(false).meta({ description: 'Email a link to set a password, instead of `password`' }),
  locale: Locale.default(DEFAULT_LOCALE),
  telegramId: Profile.shape.telegramId.default(null),
  mobileNumber: Profile.shape.mobileNumber.default(null),
  canLogin: z.boolean().default(true),
  permissions: z.array(Permission).max(32).default([]),
}).meta({
  id: 'UserCreation',
  examples: [
    {
      username: 'night.shift',
      password: 'seven quiet rivers',
      firstName: 'Night',
      lastName: 'Shift',
      email: 'night@example.com',
      locale: 'de',
      permissions: ['manage_rules'],
    },
  ],
});

/** The body of PUT /users/{userId}: the whole profile. */
export const UserUpdate = Profile.extend({
  locale: Locale,
  currentPassword: z.string().max(4_096).optional().meta({ description: 'Required to change your own `email`' }),
}).meta({
  id: 'UserUpdate',
  examples: [
    {
      firstName: 'Night',
      lastName: 'Shift',
      email: 'night@example.com',
      locale: 'de',
      telegramId: null,
      mobileNumber: null,
    },
  ],
});
export type UserUpdate = z.output<typeof UserUpdate>;
/** A profile as stored. */
export type UserProfile = Omit<UserUpdate, 'currentPassword'>;

/** How long (ms) reset codes are still sent to the previous address after a user changes their own email address. */
export const MAILBOX_DELAY = 86_400_000;
/** The address to send reset codes to until `until` (ms), instead of the current one. */
export type Mailbox = { email: string; until: number };
/** Returns the address for a user's reset codes; empty if there is none. */
export const mailboxOf = ({ email, resetTo }: { email: string; resetTo?: Mailbox | null }, now: number): string =>
  resetTo && resetTo.until > now ? resetTo.email : email;

/**
 * The body of PUT /users/{userId}/access. Most callers may not set `isAdmin`, so it is optional. If it is missing, the
 * stored value stays unchanged.
 */
export const UserAccess = z
  .object({
    canLogin: z.boolean(),
    permissions: z.array(Permission).max(32),
    isAdmin: z.boolean().optional(),
  })
  .meta({ id: 'UserAccess', examples: [{ canLogin: true, permissions: ['manage_sensors', 'manage_rules'] }] });
export type UserAccess = Required<z.output<typeof UserAccess>>;

/** The body of PUT /users/{userId}/password. Users who change their own password must send the current one. */
export const PasswordChange = z
  .object({ currentPassword: z.string().max(4_096).optional(), newPassword: NewPassword })
  .meta({
    id: 'PasswordChange',
    examples: [{ currentPassword: 'seven quiet rivers', newPassword: 'eight loud rivers' }],
  });

export const PasswordResetRequest = z
  .object({ username: z.string().max(1_024) })
  .meta({ id: 'PasswordResetRequest', examples: [{ username: 'night.shift' }] });
/** The body of a password reset, with the code from the email. */
export const PasswordReset = z
  .object({ code: z.string().max(1_024), newPassword: NewPassword })
  .meta({ id: 'PasswordReset', examples: [{ code: 'as in the email', newPassword: 'eight loud rivers' }] });

/**
 * The request body for completing an OpenID Connect login: the query string of the URL the browser was redirected to.
 */
export const OidcCallback = z
  .object({ query: z.string().max(8_192) })
  .meta({ id: 'OidcAnswer', examples: [{ query: 'code=a-code&state=a-state' }] });

/** A user (D1 "User"), without credentials. */
export const User = Profile.extend({
  firstName: storedText(0, 64),
  lastName: storedText(0, 64),
  telegramId: storedText(1, 64).nullable(),
  mobileNumber: storedText(1, 64).nullable(),
  id,
  createDate: millis,
  updateDate: millis,
  customerId: id.nullable(),
  username: storedText(1, 64),
  locale: z.string(),
  profileImageId: z.string().meta({ format: 'uuid' }),
  canLogin: z.boolean(),
  isAdmin: z.boolean(),
  permissions: z.array(Permission),
  hasOtp: z.boolean().default(false).meta({ description: 'Logins require a code in addition to the password' }),
  mustSetOtp: z.literal(true).optional().meta({
    description: 'The session can only set up a second factor, because the customer requires one',
  }),
  display: z.literal(true).optional().meta({ description: 'The session belongs to a display' }),
}).meta({ id: 'User' });
export type User = z.input<typeof User>;

/** The O1 request body. If `id` is present, it must match the user logging in. */
export const Login = z
  .object({
    username: z.string().max(1_024),
    password: z.string().max(4_096),
    id: int64.nullable().optional(),
    otp: OtpCode.nullable().optional().meta({
      description: 'Required if the user has a second factor: the six digits from the app, or a recovery code',
    }),
    display: z.boolean().optional().meta({
      description: 'Starts a session for a wall display, which may do little and lasts while it is used',
    }),
  })
  .meta({ id: 'Login', examples: [{ username: 'night.shift', password: 'seven quiet rivers' }] });
export type Login = z.output<typeof Login>;

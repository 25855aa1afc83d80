import { hashPassword } from '@/server/access/sign-in/passwords';
import { auditTrail } from '@/test/audit-trail';
import { call } from '@/test/request';

/** The password of those who sign in, and its hash. */
export const PASSWORD = 'correct horse, battery';
export const hash = hashPassword(PASSWORD);

type Options = { from?: string; headers?: Record<string, string> };
export const login = (email: string, password = PASSWORD, options: Options = {}) =>
  call('/auth/login', { body: { email, password }, from: '192.0.2.1', ...options });
export const refresh = (refresh_token: string, options: Options = {}) =>
  call('/auth/refresh', { body: { refresh_token }, from: '192.0.2.1', ...options });
export const me = (token: string) => call('/auth/me', { headers: { authorization: `Bearer ${token}` } });
export const actions = async (since = 0) => (await auditTrail()).slice(since).map((r) => r.action);

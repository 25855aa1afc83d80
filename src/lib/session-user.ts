import { z } from 'zod';

/** The signed-in user as login, refresh and `/auth/me` describe them. */
export const SessionUser = z.object({
  id: z.string().min(1),
  email: z.string(),
  name: z.string().default(''),
  permissions: z.array(z.string()).default([]),
});
export type SessionUser = z.infer<typeof SessionUser>;

/** What login and refresh answer, as far as the browser uses it. The refresh token stays in its HttpOnly cookie. */
export const SignedIn = z.object({ access_token: z.string().min(1), user: SessionUser });
export type SignedIn = z.infer<typeof SignedIn>;

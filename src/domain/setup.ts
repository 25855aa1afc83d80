import { z } from 'zod';
import { AccountEmail } from './auth';
import { NewPassword, passwordProblem } from './auth-password';
import { Cluster, ClusterInput } from './cluster';

/** `system_settings.key` that marks an installation as a demo: made up from the start, and for ever. */
export const DEMO_KEY = 'demo';

/** Whether the first administrator exists, and whether making one needs the code that the server printed. */
export const SetupStatus = z.object({
  completed: z.boolean(),
  setup_code_required: z.boolean(),
  /** What the installation shows is made up. */
  demo: z.boolean(),
});
export type SetupStatus = z.infer<typeof SetupStatus>;

export const SetupInput = z
  .strictObject({
    email: AccountEmail,
    password: NewPassword,
    name: z.string('Enter the name as text.').trim().max(100, 'At most 100 characters.').default(''),
    setup_code: z.string('Enter the setup code as text.').max(200, 'This is not the setup code.').optional(),
    cluster: ClusterInput.optional(),
  })
  .superRefine(({ email, password }, context) => {
    // What is wrong with the password alone its own schema has said.
    const problem = passwordProblem(password) === null ? passwordProblem(password, email) : null;
    if (problem) context.addIssue({ code: 'custom', path: ['password'], message: problem });
  });
export type SetupInput = z.output<typeof SetupInput>;

/** The first administrator, and the first cluster when one was given. Signing in is the next step. */
export const SetupResult = z.object({
  user: z.object({ id: z.uuid(), email: z.string(), name: z.string(), roles: z.array(z.string()) }),
  cluster: Cluster.optional(),
});
export type SetupResult = z.infer<typeof SetupResult>;

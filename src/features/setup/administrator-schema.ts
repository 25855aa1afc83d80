import { z } from 'zod';
import { passwordProblem } from '@/domain/auth-password';
import { SetupInput } from '@/domain/setup';
import type { Translate } from '@/lib/i18n/translator';

/** What the form itself asks beyond the service: the password twice, and the code when one is required. */
export function administratorSchema(t: Translate, setupCodeRequired: boolean) {
  return z
    .object({
      email: SetupInput.shape.email,
      name: SetupInput.shape.name,
      password: SetupInput.shape.password,
      password_repeat: z.string(),
      setup_code: setupCodeRequired ? z.string().trim().min(1, t('Enter the setup code.')) : z.string().trim(),
    })
    .superRefine((values, context) => {
      const problem = passwordProblem(values.password, values.email);
      if (problem) context.addIssue({ code: 'custom', path: ['password'], message: problem });
      if (values.password !== values.password_repeat) {
        context.addIssue({ code: 'custom', path: ['password_repeat'], message: t('The passwords do not match.') });
      }
    });
}

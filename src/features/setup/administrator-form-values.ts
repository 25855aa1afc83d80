import { z } from 'zod';
import { passwordProblem } from '@/domain/auth-password';
import { SetupInput } from '@/domain/setup';
import type { Translate } from '@/lib/i18n/translator';

export type AdministratorValues = {
  email: string;
  name: string;
  password: string;
  password_repeat: string;
  setup_code: string;
};

export const EMPTY_ADMINISTRATOR: AdministratorValues = {
  email: '',
  name: '',
  password: '',
  password_repeat: '',
  setup_code: '',
};

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

/** The body of `POST /setup/complete`; what is empty is left out. */
export function toSetupInput(values: AdministratorValues) {
  return {
    email: values.email,
    password: values.password,
    ...(values.name.trim() && { name: values.name.trim() }),
    ...(values.setup_code.trim() && { setup_code: values.setup_code.trim() }),
  };
}

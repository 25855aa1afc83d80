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

/** The body of `POST /setup/complete`; what is empty is left out. */
export function toSetupInput(values: AdministratorValues) {
  return {
    email: values.email,
    password: values.password,
    ...(values.name.trim() && { name: values.name.trim() }),
    ...(values.setup_code.trim() && { setup_code: values.setup_code.trim() }),
  };
}

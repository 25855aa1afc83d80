import { AccountEmail } from '@/domain/auth';
import { NewPassword } from '@/domain/auth-password';
import { makeAdministrator } from '@/server/access/users/make-administrator';
import { systemScope } from '@/server/auth/scope';
import { type Command, EXIT, textOption, UsageError } from './command';
import { withInstallation, withServices } from './open-installation';
import { askSecret, secretFromFile } from './passphrase';

async function passwordFrom(file: string | null): Promise<string> {
  if (file !== null) return secretFromFile(file, 'password');
  const remedy = 'There is no terminal to ask for the password. Give --password-file (- for standard input).';
  const password = await askSecret('Password: ', remedy);
  if ((await askSecret('Once more: ', remedy)) !== password) throw new UsageError('The two passwords differ.');
  return password;
}

export const createAdminCommand: Command = {
  name: 'create-admin',
  summary: 'Makes a super administrator, or lets one in who is locked out.',
  help: `  fabric create-admin EMAIL [--name NAME] [--password-file FILE] [--reset]

For a first administrator without the setup page, and for the day on which nobody gets in any more. Asks for the password.

--name NAME           what the account is called
--password-file FILE  the first line of FILE is the password (- for standard input)
--reset               the account exists: give it this password and the role, activate it, end its sign-ins and API tokens,
                      take its second factor and its lockout away`,
  options: { name: { type: 'string' }, 'password-file': { type: 'string' }, reset: { type: 'boolean' } },
  positionals: ['EMAIL'],
  async run({ values, positionals, terminal }) {
    const email = AccountEmail.safeParse(positionals[0] ?? '');
    if (!email.success) throw new UsageError(email.error.issues[0]?.message ?? 'The email address is refused.');
    const password = NewPassword.safeParse(await passwordFrom(textOption(values, 'password-file')));
    if (!password.success) throw new UsageError(password.error.issues[0]?.message ?? 'The password is refused.');
    const { created } = await withInstallation({}, terminal, (installation) =>
      withServices(installation, () =>
        makeAdministrator(systemScope('*', 'fabric create-admin'), {
          email: email.data,
          name: textOption(values, 'name') ?? '',
          password: password.data,
          reset: values.reset === true,
        }),
      ),
    );
    terminal.print(`${email.data} is ${created ? 'now' : 'again'} a super administrator.`);
    return EXIT.ok;
  },
};

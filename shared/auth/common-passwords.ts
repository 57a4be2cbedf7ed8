// The most common passwords of at least 10 bytes. Shorter passwords are rejected because of their length.
const common = new Set(
  `1234567890 0123456789 9876543210 0987654321 12345678910 123456789a 1q2w3e4r5t 1qaz2wsx3edc qwertyuiop qwerty12345
  qwerty123456 qwertyuiop123 password12 password123 password1234 password12345 passw0rd123 p@ssword123 p@ssw0rd123
  asdfghjkl1 asdfghjkl; asdfghjkl123 zxcvbnm123 abcdefghij abc1234567 abcd123456 abcdef1234 a123456789 aa12345678
  iloveyou12 iloveyou123 letmein123 letmein1234 welcome123 welcome1234 administrator admin12345 admin123456 adminadmin
  changeme123 sunshine123 princess123 football123 baseball123 superman123 monkey1234 dragon1234 master1234 trustno1trustno1
  1111111111 0000000000 2222222222 5555555555 6666666666 7777777777 8888888888 9999999999 1212121212 1122334455 123123123123
  123456123456 1231231231 102030405060 11223344556677 qazwsxedcrfv passwordpassword test123456 testtest12 hallo12345
  passwort123 passwort1234 schatz1234 liebling123 sommer2024 sommer2025 winter2024 winter2025 summer2024 summer2025
  nurse12345 geheim1234 willkommen willkommen1`.split(/\s+/),
);

/** Whether this is one of the most common passwords, which attackers try first. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase());

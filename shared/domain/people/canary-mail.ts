type MailValues = { service: string; url: string };

/** Returns the email the canary sends once a day to test the mail service. */
export const canaryMail = ({ service, url }: MailValues) => ({
  subject: `Daily test email: ${service}`,
  text: `${service} (${url}) can send email. It sends this test once a day. If the test stops arriving, emails about falls are not arriving either: check the mail service.`,
});

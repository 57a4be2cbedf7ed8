import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { production, stackOf } from '#test/fixtures/stack.ts';

const { mailSender, smsOrigin } = production;
const both = stackOf({ mailSender, smsOrigin });
const { template, idOf } = both;
const off = stackOf().template;
const mailOnly = stackOf({ mailSender }).template;
const smsOnly = stackOf({ smsOrigin }).template;

const topic = { Ref: idOf('undeliverable-topic') };
const queueArn = { 'Fn::GetAtt': [idOf('undeliverable-queue'), 'Arn'] };
const setArn = (service: string) => ({
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      `:${service}:`,
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      ':configuration-set/Test',
    ],
  ],
});
const publishing = (service: string, arn: string) => ({
  Effect: 'Allow',
  Principal: { Service: `${service}.amazonaws.com` },
  Action: 'sns:Publish',
  Resource: topic,
  Condition: {
    StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    ArnLike: { 'aws:SourceArn': setArn(arn) },
  },
});

describe('events about undelivered messages', () => {
  it('SES and AWS End User Messaging publish only undelivered messages to a topic', () => {
    template.hasResourceProperties('AWS::SES::ConfigurationSet', { Name: 'Test' });
    template.hasResource('AWS::SES::ConfigurationSetEventDestination', {
      Properties: {
        EventDestination: {
          Enabled: true,
          MatchingEventTypes: ['bounce', 'complaint', 'reject', 'renderingFailure'],
          SnsDestination: { TopicARN: topic },
        },
      },
      // SES publishes to the topic while the destination is created.
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^undeliverabletopicPolicy')]),
    });
    template.hasResourceProperties('AWS::SMSVOICE::ConfigurationSet', {
      ConfigurationSetName: 'Test',
      EventDestinations: [
        {
          Enabled: true,
          EventDestinationName: 'undeliverable',
          MatchingEventTypes: Match.arrayWith([
            'TEXT_BLOCKED',
            'TEXT_CARRIER_UNREACHABLE',
            'TEXT_INVALID',
            'TEXT_TTL_EXPIRED',
          ]),
          SnsDestination: { TopicArn: topic },
        },
      ],
    });
    const [sms] = Object.values(template.findResources('AWS::SMSVOICE::ConfigurationSet'));
    for (const type of ['TEXT_ALL', 'TEXT_DELIVERED', 'TEXT_SUCCESSFUL', 'TEXT_SENT', 'TEXT_PENDING'])
      expect(JSON.stringify(sms)).not.toContain(`"${type}"`);
  });

  it("events about undelivered messages come only from this stage's configuration sets, over TLS", () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      Topics: [topic],
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          publishing('ses', 'ses'),
          publishing('sms-voice', 'sms-voice'),
        ],
      },
    });
  });

  it('the event queue accepts messages only from the topic', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      TopicArn: topic,
      Endpoint: queueArn,
      RawMessageDelivery: Match.absent(),
    });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: idOf('undeliverable-queue') }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          {
            Effect: 'Allow',
            Principal: { Service: 'sns.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: queueArn,
            Condition: { ArnEquals: { 'aws:SourceArn': topic } },
          },
        ]),
      },
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: queueArn,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('the deliver function may send through the configuration sets, which events require', () => {
    const policies = Object.entries(template.findResources('AWS::IAM::Role')).filter(
      ([id]) => id === idOf('deliver-role'),
    );
    const [[, role] = []] = policies;
    const statements: { Action: string | string[]; Resource: unknown }[] =
      role?.Properties.Policies[0].PolicyDocument.Statement;
    const resourcesOf = (action: string) => statements.find(({ Action }) => [Action].flat().includes(action))?.Resource;
    expect(resourcesOf('ses:SendEmail')).toEqual(expect.arrayContaining([setArn('ses')]));
    expect(resourcesOf('sms-voice:SendTextMessage')).toEqual([smsOrigin, setArn('sms-voice')]);
  });

  it.each([
    ['neither', off, 0, 0],
    ['email', mailOnly, 1, 0],
    ['SMS', smsOnly, 0, 1],
  ])('configuration sets exist only for the services in the stage: %s', (_, stack, mail, sms) => {
    stack.resourceCountIs('AWS::SES::ConfigurationSet', mail);
    stack.resourceCountIs('AWS::SMSVOICE::ConfigurationSet', sms);
    const functions = Object.values(stack.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.FunctionName,
    );
    expect(functions.includes('Test-undeliverable')).toBe(mail + sms > 0);
    const variables = Object.values(stack.findResources('AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.FunctionName === 'Test-deliver',
    )?.Properties.Environment.Variables;
    expect(variables).toMatchObject({
      MAIL_CONFIGURATION_SET: mail > 0 ? 'Test' : '',
      SMS_CONFIGURATION_SET: sms > 0 ? 'Test' : '',
    });
  });
});

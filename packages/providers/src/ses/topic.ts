/** The SNS topic that SES publishes to, and the one host that speaks for it. */
import { Data, Either } from "effect"

/** What was configured names no topic that could be subscribed to over HTTPS. */
export class TopicArnInvalid extends Data.TaggedError("TopicArnInvalid") {
  override readonly message: string = "An SNS topic has a name such as arn:aws:sns:{region}:{account}:{name}."
}

/** `arn:{partition}:sns:{region}:{account}:{name}` */
const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2,}(?:-[a-z]+)+-\d+):\d{12}:[\w-]{1,256}$/

/**
 * `https://sns.{region}.amazonaws.com` for a topic. One host and not a pattern: others that fit are other people's, such
 * as those of S3, where `sns` is a fine name for a bucket.
 */
export const originOf = (topicArn: string): Either.Either<string, TopicArnInvalid> => {
  const [, partition, region] = ARN.exec(topicArn) ?? []
  return region === undefined
    ? Either.left(new TopicArnInvalid())
    : Either.right(`https://sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`)
}

// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in dds: topics of ROS 2 by Eclipse Cyclone DDS.

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#include <dds/ddsrt/log.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/ros/messages.h"
#include "fernwood/ros/node.h"

namespace fernwood::apps {

namespace {

/// Maximum size of an accepted message, in bytes.
constexpr std::size_t kMaxSampleBytes = std::size_t{1} << 28;

/// A message in Cyclone DDS: reference-counted, and freed by free_sample().
struct Sample : ddsi_serdata {
  ros::EncodedMessage bytes;  ///< Padded to whole words.
  std::uint32_t size = 0;

  Sample(const ddsi_sertype* of_type, ddsi_serdata_kind of_kind) : ddsi_serdata{} {
    ddsi_serdata_init(this, of_type, of_kind);
  }
  void resize(std::size_t num_bytes) {
    constexpr std::size_t kWord = 4;
    bytes.resize((num_bytes + kWord - 1) / kWord * kWord);
    size = static_cast<std::uint32_t>(num_bytes);
  }
};

const Sample& as_sample(const ddsi_serdata* data) { return *static_cast<const Sample*>(data); }

/// Null if it is too large or memory is exhausted: then only this message is lost.
Sample* new_sample(const ddsi_sertype* type, ddsi_serdata_kind kind, std::size_t num_bytes) noexcept {
  if (num_bytes > kMaxSampleBytes) return nullptr;
  try {
    auto sample = std::make_unique<Sample>(type, kind);
    sample->resize(num_bytes);
    return sample.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Functions of a message that Cyclone DDS calls.

bool have_equal_keys(const ddsi_serdata*, const ddsi_serdata*) { return true; }  // no message has a key
std::uint32_t size_of(const ddsi_serdata* data) { return as_sample(data).size; }

/// Assembles a message. Fragments may overlap: of each, only the part after the end of the previous ones is copied.
ddsi_serdata* from_fragments(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                             std::size_t size) {
  Sample* const sample = new_sample(type, kind, size);
  std::size_t end = 0;
  for (; sample != nullptr && fragment != nullptr; fragment = fragment->nextfrag) {
    if (fragment->maxp1 <= end) continue;
    const std::size_t fragment_end = std::min<std::size_t>(fragment->maxp1, size);
    if (fragment->min > end || fragment_end <= end) break;  // a gap
    const std::uint8_t* const bytes = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(sample->bytes.data() + end, bytes + (end - fragment->min), fragment_end - end);
    end = fragment_end;
  }
  if (sample != nullptr && end == size) return sample;
  delete sample;
  return nullptr;
}

ddsi_serdata* from_parts(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t num_parts,
                         const ddsrt_iovec_t* parts, std::size_t size) {
  Sample* const sample = new_sample(type, kind, size);
  std::size_t end = 0;
  for (ddsrt_msg_iovlen_t i = 0; sample != nullptr && i < num_parts && end < size; ++i) {
    const std::size_t count = std::min<std::size_t>(parts[i].iov_len, size - end);
    std::memcpy(sample->bytes.data() + end, parts[i].iov_base, count);
    end += count;
  }
  return sample;
}

ddsi_serdata* from_key(const ddsi_sertype* type, const ddsi_keyhash*) { return new_sample(type, SDK_KEY, 0); }

ddsi_serdata* from_message(const ddsi_sertype* type, ddsi_serdata_kind kind, const void* message) {
  const auto& bytes = *static_cast<const std::span<const std::uint8_t>*>(message);
  Sample* const sample = new_sample(type, kind, bytes.size());
  if (sample != nullptr) std::ranges::copy(bytes, sample->bytes.begin());
  return sample;
}

void to_bytes(const ddsi_serdata* data, std::size_t offset, std::size_t size, void* bytes) {
  std::memcpy(bytes, as_sample(data).bytes.data() + offset, size);
}

ddsi_serdata* to_bytes_kept(const ddsi_serdata* data, std::size_t offset, std::size_t size, ddsrt_iovec_t* bytes) {
  bytes->iov_base = const_cast<std::uint8_t*>(as_sample(data).bytes.data() + offset);
  bytes->iov_len = size;
  return ddsi_serdata_ref(data);
}
void release_bytes(ddsi_serdata* data, const ddsrt_iovec_t*) { ddsi_serdata_unref(data); }

bool to_message(const ddsi_serdata* data, void* message, void**, void*) {
  const Sample& sample = as_sample(data);
  try {
    static_cast<ros::EncodedMessage*>(message)->assign(sample.bytes.begin(), sample.bytes.begin() + sample.size);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

ddsi_serdata* to_untyped(const ddsi_serdata* data) {
  Sample* const key = new_sample(data->type, SDK_KEY, 0);
  if (key != nullptr) key->type = nullptr;
  return key;
}
bool untyped_to_message(const ddsi_sertype*, const ddsi_serdata*, void* message, void**, void*) {
  static_cast<ros::EncodedMessage*>(message)->clear();
  return true;
}

void free_sample(ddsi_serdata* data) { delete static_cast<Sample*>(data); }

std::size_t print_sample(const ddsi_sertype*, const ddsi_serdata* data, char* text, std::size_t size) {
  return static_cast<std::size_t>(std::snprintf(text, size, "%u bytes", as_sample(data).size));
}

void key_of(const ddsi_serdata*, ddsi_keyhash* key, bool) { std::memset(key, 0, sizeof(*key)); }

const ddsi_serdata_ops& sample_functions() {
  static const ddsi_serdata_ops functions = [] {
    ddsi_serdata_ops all{};
    all.eqkey = have_equal_keys;
    all.get_size = size_of;
    all.from_ser = from_fragments;
    all.from_ser_iov = from_parts;
    all.from_keyhash = from_key;
    all.from_sample = from_message;
    all.to_ser = to_bytes;
    all.to_ser_ref = to_bytes_kept;
    all.to_ser_unref = release_bytes;
    all.to_sample = to_message;
    all.to_untyped = to_untyped;
    all.untyped_to_sample = untyped_to_message;
    all.free = free_sample;
    all.print = print_sample;
    all.get_keyhash = key_of;
    return all;
  }();
  return functions;
}

// Functions of the type. Cyclone DDS allocates samples only for callers that provide no memory; this caller does.

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete type;
}
void clear_samples(const ddsi_sertype*, void*, std::size_t) {}
void allocate_samples(void**, const ddsi_sertype*, void*, std::size_t, std::size_t) {}
void free_samples(const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {}
bool are_equal(const ddsi_sertype*, const ddsi_sertype*) { return true; }  // the names were already compared
std::uint32_t hash_of(const ddsi_sertype*) { return 0; }

const ddsi_sertype_ops& type_functions() {
  static const ddsi_sertype_ops functions = [] {
    ddsi_sertype_ops all{};
    all.version = ddsi_sertype_v0;
    all.free = free_type;
    all.zero_samples = clear_samples;
    all.realloc_samples = allocate_samples;
    all.free_samples = free_samples;
    all.equal = are_equal;
    all.hash = hash_of;
    return all;
  }();
  return functions;
}

/// A type whose messages Cyclone DDS sends and delivers as bytes: fernwood encodes and decodes them (src/ros), so that
/// no code is generated for each type, and untrusted bytes are parsed in only one place. A sample is an EncodedMessage.
/// The type has no type information: with it, the discovery in version 0.10 of peers that have some accesses invalid
/// memory.
/// @return  For dds_create_topic_sertype(), which takes ownership.
ddsi_sertype* make_bytes_type(const std::string& type_name) {
  auto* const type = new ddsi_sertype{};
  ddsi_sertype_init_flags(type, type_name.c_str(), &type_functions(), &sample_functions(),
                          DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1 | DDS_DATA_REPRESENTATION_FLAG_XCDR2;
  return type;
}

/// The latest log message of Cyclone DDS, which gives the reason of a failure.
class LastLog {
 public:
  static void write(void* self, const dds_log_data_t* line) { static_cast<LastLog*>(self)->note(line->message); }
  std::string text() const {
    const std::scoped_lock lock(mutex_);
    return text_.empty() ? "" : ": " + text_;
  }

 private:
  void note(const char* message) {
    const std::scoped_lock lock(mutex_);
    text_ = message;
    while (!text_.empty() && text_.back() == '\n') text_.pop_back();
  }

  mutable std::mutex mutex_;
  std::string text_;
};

LastLog& last_log() {
  static LastLog& log = *new LastLog;  // never destroyed: Cyclone DDS may log until the process ends
  return log;
}

dds_entity_t check(dds_entity_t result, ErrorKind kind, const std::string& what, const char* remedy) {
  if (result < 0) throw Error(kind, what + " (" + dds_strretcode(-result) + last_log().text() + "); " + remedy);
  return result;
}

/// Owner of a DDS entity, deleted together with its children.
class Entity {
 public:
  Entity() = default;
  explicit Entity(dds_entity_t entity) : entity_(entity) {}
  ~Entity() {
    if (entity_ > 0) dds_delete(entity_);
  }
  Entity(const Entity&) = delete;
  Entity& operator=(const Entity&) = delete;
  dds_entity_t get() const { return entity_; }
  void reset(dds_entity_t entity) { entity_ = entity; }

 private:
  dds_entity_t entity_ = 0;
};

struct QosDeleter {
  void operator()(dds_qos_t* qos) const { dds_delete_qos(qos); }
};
using QosHandle = std::unique_ptr<dds_qos_t, QosDeleter>;

QosHandle make_qos(ros::Qos qos) {
  constexpr int kNewest = 5;
  constexpr dds_duration_t kMaxBlocking = DDS_MSECS(20);  // longest delay of a frame by slow subscribers
  QosHandle handle(dds_create_qos());
  dds_qset_reliability(handle.get(),
                       qos == ros::Qos::kSensorData ? DDS_RELIABILITY_BEST_EFFORT : DDS_RELIABILITY_RELIABLE,
                       kMaxBlocking);
  dds_qset_history(handle.get(), DDS_HISTORY_KEEP_LAST, qos == ros::Qos::kLatched ? 1 : kNewest);
  dds_qset_durability(handle.get(),
                      qos == ros::Qos::kLatched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  dds_qset_writer_data_lifecycle(handle.get(), false);
  return handle;
}

constexpr const char *kLookAtNetwork = "look at the network and at CYCLONEDDS_URI",
                     *kOneInterface =
                         "name the interface either by CYCLONEDDS_URI, or by ROS_AUTOMATIC_DISCOVERY_RANGE or "
                         "ROS_LOCALHOST_ONLY";

class DdsPublisher final : public ros::Publisher {
 public:
  DdsPublisher(dds_entity_t topic, dds_entity_t writer, std::string name)
      : topic_(topic), writer_(writer), name_(std::move(name)) {}
  bool publish(std::span<const std::uint8_t> message) override {
    const dds_return_t result = dds_write(writer_.get(), &message);
    if (result == DDS_RETCODE_TIMEOUT) return false;
    check(result, ErrorKind::kRuntime, "the topic " + name_ + " takes no message", kLookAtNetwork);
    return true;
  }
  std::size_t num_subscribers() const override {
    dds_publication_matched_status_t status{};
    dds_get_publication_matched_status(writer_.get(), &status);
    return status.current_count;
  }

 private:
  Entity topic_, writer_;  // the writer is deleted first
  std::string name_;
};

class DdsSubscription final : public ros::Subscription {
 public:
  DdsSubscription(dds_entity_t topic, dds_entity_t reader, std::string name)
      : topic_(topic), reader_(reader), name_(std::move(name)) {}
  std::optional<ros::EncodedMessage> take() override {
    for (;;) {
      ros::EncodedMessage message;
      void* sample = &message;
      dds_sample_info_t info{};
      const dds_return_t count = dds_take(reader_.get(), &sample, &info, 1, 1);
      check(count, ErrorKind::kRuntime, "the topic " + name_ + " cannot be read", kLookAtNetwork);
      if (count == 0) return std::nullopt;
      if (info.valid_data) return message;  // otherwise a publisher has ended
    }
  }
  std::size_t num_publishers() const override {
    dds_subscription_matched_status_t status{};
    dds_get_subscription_matched_status(reader_.get(), &status);
    return status.current_count;
  }

 private:
  Entity topic_, reader_;
  std::string name_;
};

const char* users_settings() {
  const char* const settings = std::getenv("CYCLONEDDS_URI");
  return settings != nullptr ? settings : "";
}

std::string configuration(bool localhost_only) {
  std::string settings =
      "<General><MaxMessageSize>65500B</MaxMessageSize></General>"
      "<Internal><SocketReceiveBufferSize max='10MB'/></Internal>";
  if (localhost_only)
    settings +=
        "<General><Interfaces><NetworkInterface address='127.0.0.1'/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
        "<Peers><Peer address='localhost'/></Peers></Discovery>";
  const std::string users = users_settings();
  return "<CycloneDDS><Domain id='any'>" + settings + "</Domain></CycloneDDS>" + (users.empty() ? "" : "," + users);
}

/// A policy by its number, as ROS names it.
std::string policy_name(std::uint32_t policy) {
  if (policy == DDS_DURABILITY_QOS_POLICY_ID) return "durability";
  if (policy == DDS_DEADLINE_QOS_POLICY_ID) return "deadline";
  if (policy == DDS_LIVELINESS_QOS_POLICY_ID) return "liveliness";
  if (policy == DDS_RELIABILITY_QOS_POLICY_ID) return "reliability";
  return "quality of service (policy " + std::to_string(policy) + ")";
}

class DdsNode final : public ros::Node {
 public:
  explicit DdsNode(const ros::NodeOptions& options) {
    dds_set_log_mask(DDS_LC_FATAL | DDS_LC_ERROR | DDS_LC_WARNING);
    dds_set_log_sink(&LastLog::write, &last_log());
    const auto domain = static_cast<dds_domainid_t>(options.domain_id);
    domain_.reset(check(dds_create_domain(domain, configuration(options.localhost_only).c_str()), ErrorKind::kDevice,
                        "DDS does not start",
                        options.localhost_only && *users_settings() != '\0' ? kOneInterface : kLookAtNetwork));
    const QosHandle qos(dds_create_qos());
    constexpr char kEnclave[] = "enclave=/;";  // ROS 2's name of a security context; "/" stands for none
    dds_qset_userdata(qos.get(), kEnclave, sizeof(kEnclave) - 1);
    participant_.reset(check(dds_create_participant(domain, qos.get(), nullptr), ErrorKind::kDevice,
                             "DDS finds no network", kLookAtNetwork));
    publications_.reset(
        check(dds_create_reader(participant_.get(), DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
              ErrorKind::kRuntime, "DDS does not report the published topics", kLookAtNetwork));
    dds_get_guid(participant_.get(), &guid_);
  }

  std::unique_ptr<ros::Publisher> advertise(const std::string& topic, std::string_view type, ros::Qos qos) override {
    const dds_entity_t dds_topic = create_topic(topic, type);
    const QosHandle handle = make_qos(qos);
    dds_data_representation_id_t plain_cdr = DDS_DATA_REPRESENTATION_XCDR1;
    dds_qset_data_representation(handle.get(), 1, &plain_cdr);
    const dds_entity_t writer = dds_create_writer(participant_.get(), dds_topic, handle.get(), nullptr);
    if (writer < 0) dds_delete(dds_topic);
    check(writer, ErrorKind::kRuntime, "the topic " + topic + " cannot be published", kLookAtNetwork);
    add_endpoint({writer, topic, true});
    return std::make_unique<DdsPublisher>(dds_topic, writer, topic);
  }

  std::unique_ptr<ros::Subscription> subscribe(const std::string& topic, std::string_view type, ros::Qos qos) override {
    const dds_entity_t dds_topic = create_topic(topic, type);
    const std::unique_ptr<dds_listener_t, void (*)(dds_listener_t*)> listener(dds_create_listener(this),
                                                                              &dds_delete_listener);
    dds_lset_data_available(listener.get(),
                            [](dds_entity_t, void* self) { static_cast<DdsNode*>(self)->notify(true); });
    const dds_entity_t reader = dds_create_reader(participant_.get(), dds_topic, make_qos(qos).get(), listener.get());
    if (reader < 0) dds_delete(dds_topic);
    check(reader, ErrorKind::kRuntime, "the topic " + topic + " cannot be subscribed", kLookAtNetwork);
    add_endpoint({reader, topic, false});
    return std::make_unique<DdsSubscription>(dds_topic, reader, topic);
  }

  std::vector<ros::RemoteTopic> topics() const override {
    std::set<ros::RemoteTopic> found;
    std::vector<void*> samples(kMaxEndpoints, nullptr);
    std::vector<dds_sample_info_t> infos(kMaxEndpoints);
    const dds_return_t count = dds_read_mask(publications_.get(), samples.data(), infos.data(), kMaxEndpoints,
                                             kMaxEndpoints, DDS_ALIVE_INSTANCE_STATE);
    for (dds_return_t i = 0; i < count; ++i)
      if (infos[static_cast<std::size_t>(i)].valid_data)
        add_topic(*static_cast<const dds_builtintopic_endpoint_t*>(samples[static_cast<std::size_t>(i)]), found);
    if (count > 0) dds_return_loan(publications_.get(), samples.data(), count);
    return {found.begin(), found.end()};
  }

  bool wait(double seconds) override {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return has_message_ || is_woken_; });
    is_woken_ = false;
    return std::exchange(has_message_, false);
  }
  void wake() override { notify(false); }
  std::vector<std::string> incompatible() const override {
    const std::scoped_lock lock(mutex_);
    for (Endpoint& endpoint : endpoints_) {
      const std::string problem = endpoint.is_told ? "" : problem_of(endpoint);
      if (problem.empty()) continue;
      endpoint.is_told = true;
      incompatible_.push_back("the topic " + endpoint.topic + ": no message flows, because " + problem);
    }
    return incompatible_;
  }

 private:
  struct Endpoint {
    dds_entity_t entity = 0;
    std::string topic;
    bool is_writer = false, is_told = false;
  };
  static constexpr std::size_t kMaxEndpoints = 4096;

  void notify(bool by_message) {
    {
      const std::scoped_lock lock(mutex_);
      (by_message ? has_message_ : is_woken_) = true;
    }
    arrived_.notify_all();
  }

  void add_endpoint(Endpoint endpoint) {
    const std::scoped_lock lock(mutex_);
    endpoints_.push_back(std::move(endpoint));
  }

  /// What the other side asks for or offers that does not fit; empty if all fit, or the endpoint was deleted.
  static std::string problem_of(const Endpoint& endpoint) {
    dds_offered_incompatible_qos_status_t offered{};
    dds_requested_incompatible_qos_status_t requested{};
    if (endpoint.is_writer) {
      if (dds_get_offered_incompatible_qos_status(endpoint.entity, &offered) != 0 || offered.total_count == 0)
        return "";
      return "a subscriber asks for a " + policy_name(offered.last_policy_id) +
             " that is not offered; let it ask for the default of ROS, volatile and without a deadline";
    }
    if (dds_get_requested_incompatible_qos_status(endpoint.entity, &requested) != 0 || requested.total_count == 0)
      return "";
    return "a publisher offers less " + policy_name(requested.last_policy_id) +
           " than is asked for; let it publish reliably, and /tf_static as transient local";
  }

  dds_entity_t create_topic(const std::string& topic, std::string_view type) {
    FW_CHECK(ros::is_topic_name(topic), Usage,
             "\"" << topic
                  << "\" is not a name of a topic; use one like /camera/color/image_raw: letters, digits and _ "
                     "behind each /");
    ddsi_sertype* bytes = make_bytes_type(ros::dds_type(type));
    const dds_entity_t entity =
        dds_create_topic_sertype(participant_.get(), ros::dds_topic(topic).c_str(), &bytes, nullptr, nullptr, nullptr);
    return check(entity, ErrorKind::kRuntime, "the topic " + topic + " cannot be made", kLookAtNetwork);
  }

  void add_topic(const dds_builtintopic_endpoint_t& endpoint, std::set<ros::RemoteTopic>& found) const {
    if (std::memcmp(&endpoint.participant_key, &guid_, sizeof(guid_)) == 0) return;
    if (endpoint.topic_name == nullptr || endpoint.type_name == nullptr) return;
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    dds_qget_reliability(endpoint.qos, &reliability, nullptr);
    ros::RemoteTopic topic{ros::topic_of_dds(endpoint.topic_name), ros::type_of_dds(endpoint.type_name),
                           reliability == DDS_RELIABILITY_RELIABLE};
    if (!topic.name.empty() && !topic.type.empty()) found.insert(std::move(topic));
  }

  Entity domain_, participant_, publications_;  // deleted in reverse order
  dds_guid_t guid_{};
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  mutable std::vector<Endpoint> endpoints_;
  mutable std::vector<std::string> incompatible_;  // as it was found
  bool has_message_ = false, is_woken_ = false;
};

}  // namespace

}  // namespace fernwood::apps

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::ros::Node* fernwood_open_node(const fernwood::ros::NodeOptions& options) {
  return new fernwood::apps::DdsNode(options);
}
}

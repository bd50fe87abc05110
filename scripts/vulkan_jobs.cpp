// Runs compute jobs on a Vulkan driver and measures them: the other side of peers.py, which writes the plans (vulkan_plans.py).
//
//     vulkan_jobs LABEL MILLISECONDS PLAN…
//
// A plan is a text file. Its lines begin with a keyword; numbers of Vulkan's enumerations stand as such:
//
//     name NAME
//     shader FILE ENTRY                        SPIR-V; everything is in descriptor set 0
//     groups X Y Z
//     buffer TYPE BINDING FORMAT BYTES IN OUT  TYPE: VkDescriptorType; FORMAT: of a texel buffer
//     image TYPE BINDING FORMAT BYTES IN OUT VIEW WIDTH HEIGHT DEPTH LAYERS MIPS TEXEL EXTENT RED GREEN BLUE ALPHA
//                                              VIEW: VkImageViewType; TEXEL: the bytes of a texel, or of a block of EXTENT x EXTENT;
//                                              VkComponentSwizzle of each channel
//     sampler BINDING MINIFY MAGNIFY MIP U V W RED GREEN BLUE ALPHA ANISOTROPY COMPARE REDUCTION
//                                              the colour is that of the border; ANISOTROPY: 0 for none; COMPARE: VkCompareOp, or -1;
//                                              REDUCTION: VkSamplerReductionMode
//
// IN is a file of as many bytes, or `-` for zeros. OUT is where the content goes after the first dispatch, or `-` if it is not written. Later
// dispatches find what the one before left, so their work must not depend on it.
//
// The first line of output says what the driver calls its device. For each plan there follows a line of JSON: the least wall and processor
// time of a dispatch in milliseconds, and of compiling.

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

// Shorter dispatches are measured together until they take so long.
const double LEAST_MS = 1.0;
const int MOST_TOGETHER = 10000;
const int COMPILES = 5;
const int LEAST_SAMPLES = 3, MOST_SAMPLES = 400;

void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(result));
}
#define CHECK(call) check(call, #call)

double clock_ms(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}
double wall_ms() { return clock_ms(CLOCK_MONOTONIC); }
double cpu_ms() { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }

std::vector<char> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return std::vector<char>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

struct Resource {
    VkDescriptorType type{};
    uint32_t binding = 0, format = 0;
    uint64_t bytes = 0;
    std::vector<char> first;
    std::string out = "-";
    // Of an image; its buffer is where its content is copied from and to.
    bool is_image = false;
    uint32_t view_type = 0, width = 0, height = 0, depth = 0, layers = 0, mips = 0, texel = 0, extent = 1;
    uint32_t swizzle[4] = {};
    VkSamplerCreateInfo sampling{};
    VkSamplerReductionModeCreateInfo reduction{};
    VkSamplerCustomBorderColorCreateInfoEXT border{};

    VkBuffer buffer{};
    VkDeviceMemory memory{}, image_memory{};
    void *mapped = nullptr;
    VkBufferView texels{};
    VkImage image{};
    VkImageView view{};
    VkSampler sampler{};
};

struct Plan {
    std::string name, shader, entry;
    uint32_t groups[3] = {1, 1, 1};
    std::vector<Resource> resources;
};

Plan read_plan(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Plan plan;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line(text);
        std::string keyword, in;
        line >> keyword;
        Resource found;
        uint32_t type = 0;
        if (keyword == "name") line >> plan.name;
        else if (keyword == "shader") line >> plan.shader >> plan.entry;
        else if (keyword == "groups") line >> plan.groups[0] >> plan.groups[1] >> plan.groups[2];
        else if (keyword == "buffer" || keyword == "image") {
            line >> type >> found.binding >> found.format >> found.bytes >> in >> found.out;
            found.is_image = keyword == "image";
            if (found.is_image)
                line >> found.view_type >> found.width >> found.height >> found.depth >> found.layers >> found.mips >> found.texel >>
                    found.extent >> found.swizzle[0] >> found.swizzle[1] >> found.swizzle[2] >> found.swizzle[3];
            found.type = VkDescriptorType(type);
            found.first = in == "-" ? std::vector<char>(found.bytes) : read_file(in);
            if (found.first.size() != found.bytes) throw std::runtime_error(in + " has another size");
            plan.resources.push_back(std::move(found));
        } else if (keyword == "sampler") {
            uint32_t minify, magnify, mip, address[3];
            VkSamplerCreateInfo &info = found.sampling;
            info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
            line >> found.binding >> minify >> magnify >> mip >> address[0] >> address[1] >> address[2];
            for (float &channel : found.border.customBorderColor.float32) line >> channel;
            int32_t compare, reduction;
            line >> info.maxAnisotropy >> compare >> reduction;
            info.anisotropyEnable = info.maxAnisotropy > 0;
            info.compareEnable = compare >= 0, info.compareOp = VkCompareOp(std::max(compare, 0));
            found.reduction.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO;
            found.reduction.reductionMode = VkSamplerReductionMode(reduction);
            found.border.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT;
            info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
            info.maxLod = VK_LOD_CLAMP_NONE;
            info.minFilter = VkFilter(minify), info.magFilter = VkFilter(magnify), info.mipmapMode = VkSamplerMipmapMode(mip);
            info.addressModeU = VkSamplerAddressMode(address[0]);
            info.addressModeV = VkSamplerAddressMode(address[1]);
            info.addressModeW = VkSamplerAddressMode(address[2]);
            found.type = VK_DESCRIPTOR_TYPE_SAMPLER;
            plan.resources.push_back(std::move(found));
        } else throw std::runtime_error("unknown line: " + text);
        if (!line) throw std::runtime_error("incomplete line: " + text);
    }
    return plan;
}

// An instance, a device, a queue.
struct Driver {
    VkPhysicalDevice physical{};
    VkDevice device{};
    VkQueue queue{};
    VkCommandPool pool{};
    VkFence fence{};
    uint32_t host_memory = 0;
    bool has_borders = false;
    std::string name;

    Driver() {
        VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
        application.apiVersion = VK_API_VERSION_1_3;
        VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        info.pApplicationInfo = &application;
        VkInstance instance;
        CHECK(vkCreateInstance(&info, nullptr, &instance));
        uint32_t count = 1;
        vkEnumeratePhysicalDevices(instance, &count, &physical);
        if (!physical) throw std::runtime_error("the driver has no device");
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(physical, &properties);
        name = properties.deviceName;

        VkPhysicalDeviceCustomBorderColorFeaturesEXT borders{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT};
        VkPhysicalDeviceVulkan13Features since13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &borders};
        VkPhysicalDeviceVulkan12Features since12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &since13};
        VkPhysicalDeviceVulkan11Features since11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &since12};
        VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &since11};
        vkGetPhysicalDeviceFeatures2(physical, &features);
        // Everything but bounds checks, which are Brolga's burden alone.
        features.features.robustBufferAccess = since13.robustImageAccess = VK_FALSE;
        float priority = 1;
        VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queues.queueCount = 1, queues.pQueuePriorities = &priority;
        VkDeviceCreateInfo wanted{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
        wanted.queueCreateInfoCount = 1, wanted.pQueueCreateInfos = &queues;
        const char *extensions[] = {VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME};
        has_borders = borders.customBorderColors && borders.customBorderColorWithoutFormat;
        wanted.enabledExtensionCount = has_borders, wanted.ppEnabledExtensionNames = extensions;
        CHECK(vkCreateDevice(physical, &wanted, nullptr, &device));
        vkGetDeviceQueue(device, 0, 0, &queue);

        VkPhysicalDeviceMemoryProperties memory;
        vkGetPhysicalDeviceMemoryProperties(physical, &memory);
        while (host_memory + 1 < memory.memoryTypeCount &&
               !(memory.memoryTypes[host_memory].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
            host_memory++;
        VkCommandPoolCreateInfo commands{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        CHECK(vkCreateCommandPool(device, &commands, nullptr, &pool));
        VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        CHECK(vkCreateFence(device, &fences, nullptr, &fence));
    }

    VkDeviceMemory allocate(const VkMemoryRequirements &needs) const {
        VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, host_memory};
        VkDeviceMemory memory;
        CHECK(vkAllocateMemory(device, &info, nullptr, &memory));
        return memory;
    }

    VkCommandBuffer begin() const {
        VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer commands;
        CHECK(vkAllocateCommandBuffers(device, &info, &commands));
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        CHECK(vkBeginCommandBuffer(commands, &begin));
        return commands;
    }

    void run(VkCommandBuffer commands) const {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1, info.pCommandBuffers = &commands;
        CHECK(vkQueueSubmit(queue, 1, &info, fence));
        CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
        CHECK(vkResetFences(device, 1, &fence));
    }
};

void make_buffer(const Driver &driver, Resource &of) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<uint64_t>(of.bytes, 16);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    CHECK(vkCreateBuffer(driver.device, &info, nullptr, &of.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(driver.device, of.buffer, &needs);
    of.memory = driver.allocate(needs);
    CHECK(vkBindBufferMemory(driver.device, of.buffer, of.memory, 0));
    CHECK(vkMapMemory(driver.device, of.memory, 0, VK_WHOLE_SIZE, 0, &of.mapped));
    if (of.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || of.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER) {
        VkBufferViewCreateInfo view{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
        view.buffer = of.buffer, view.format = VkFormat(of.format), view.range = VK_WHOLE_SIZE;
        CHECK(vkCreateBufferView(driver.device, &view, nullptr, &of.texels));
    }
}

VkImageAspectFlags aspect(const Resource &of) {
    bool is_depth = of.format >= VK_FORMAT_D16_UNORM && of.format <= VK_FORMAT_D32_SFLOAT;
    return is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

void make_image(const Driver &driver, Resource &of) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    bool is_1d = of.view_type == VK_IMAGE_VIEW_TYPE_1D || of.view_type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    info.imageType = is_1d ? VK_IMAGE_TYPE_1D : of.view_type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
    info.format = VkFormat(of.format);
    bool is_cube = of.view_type == VK_IMAGE_VIEW_TYPE_CUBE || of.view_type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    info.flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
    info.extent = {of.width, of.height, of.depth};
    info.mipLevels = of.mips, info.arrayLayers = of.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 (of.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT);
    VkImageFormatProperties possible;
    if (vkGetPhysicalDeviceImageFormatProperties(driver.physical, info.format, info.imageType, info.tiling, info.usage, info.flags, &possible))
        throw std::runtime_error("the driver has no such images of format " + std::to_string(of.format));
    CHECK(vkCreateImage(driver.device, &info, nullptr, &of.image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(driver.device, of.image, &needs);
    of.image_memory = driver.allocate(needs);
    CHECK(vkBindImageMemory(driver.device, of.image, of.image_memory, 0));
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = of.image, view.viewType = VkImageViewType(of.view_type), view.format = info.format;
    view.subresourceRange = {aspect(of), 0, of.mips, 0, of.layers};
    auto channel = [&](int n) { return VkComponentSwizzle(of.swizzle[n]); };
    view.components = {channel(0), channel(1), channel(2), channel(3)};
    CHECK(vkCreateImageView(driver.device, &view, nullptr, &of.view));
}

void make_sampler(const Driver &driver, Resource &of) {
    of.sampling.pNext = &of.reduction;
    if (driver.has_borders) of.reduction.pNext = &of.border;
    else of.sampling.borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
    CHECK(vkCreateSampler(driver.device, &of.sampling, nullptr, &of.sampler));
}

void image_barrier(VkCommandBuffer commands, const Resource &of, VkImageLayout from) {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = from, barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.image = of.image;
    barrier.subresourceRange = {aspect(of), 0, of.mips, 0, of.layers};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

// Layer by layer, each mip by mip, tightly packed.
std::vector<VkBufferImageCopy> parts(const Resource &of) {
    std::vector<VkBufferImageCopy> all;
    uint64_t at = 0;
    for (uint32_t layer = 0; layer < of.layers; layer++)
        for (uint32_t mip = 0; mip < of.mips; mip++) {
            VkExtent3D extent{std::max(of.width >> mip, 1u), std::max(of.height >> mip, 1u), std::max(of.depth >> mip, 1u)};
            VkBufferImageCopy part{};
            part.bufferOffset = at;
            part.imageSubresource = {aspect(of), mip, layer, 1};
            part.imageExtent = extent;
            all.push_back(part);
            auto blocks = [&](uint32_t texels) { return uint64_t(texels + of.extent - 1) / of.extent; };
            at += blocks(extent.width) * blocks(extent.height) * extent.depth * of.texel;
        }
    return all;
}

// A plan that is ready to run: pipelines can be made of it, and its first content comes back when asked.
class Job {
  public:
    Job(const Driver &driver, Plan plan) : driver(driver), plan(std::move(plan)), code(read_file(this->plan.shader)) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        std::vector<VkDescriptorPoolSize> sizes;
        for (Resource &one : this->plan.resources) {
            if (one.type == VK_DESCRIPTOR_TYPE_SAMPLER) make_sampler(driver, one);
            else make_buffer(driver, one);
            if (one.is_image) make_image(driver, one);
            bindings.push_back({one.binding, one.type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
            sizes.push_back({one.type, 1});
        }
        VkDescriptorSetLayoutCreateInfo set_layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        set_layout.bindingCount = bindings.size(), set_layout.pBindings = bindings.data();
        VkDescriptorSetLayout sets;
        CHECK(vkCreateDescriptorSetLayout(driver.device, &set_layout, nullptr, &sets));
        VkPipelineLayoutCreateInfo pipeline_layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        pipeline_layout.setLayoutCount = 1, pipeline_layout.pSetLayouts = &sets;
        CHECK(vkCreatePipelineLayout(driver.device, &pipeline_layout, nullptr, &layout));
        VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        pool.maxSets = 1, pool.poolSizeCount = sizes.size(), pool.pPoolSizes = sizes.data();
        VkDescriptorPool descriptors;
        CHECK(vkCreateDescriptorPool(driver.device, &pool, nullptr, &descriptors));
        VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, descriptors, 1, &sets};
        CHECK(vkAllocateDescriptorSets(driver.device, &allocation, &set));
        for (Resource &one : this->plan.resources) {
            VkDescriptorBufferInfo buffer{one.buffer, 0, VK_WHOLE_SIZE};
            VkDescriptorImageInfo image{one.sampler, one.view, VK_IMAGE_LAYOUT_GENERAL};
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = set, write.dstBinding = one.binding;
            write.descriptorCount = 1, write.descriptorType = one.type;
            write.pBufferInfo = &buffer, write.pImageInfo = &image, write.pTexelBufferView = &one.texels;
            vkUpdateDescriptorSets(driver.device, 1, &write, 0, nullptr);
        }
        upload(false);
    }

    VkPipeline pipeline() const {
        VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = code.size(), info.pCode = reinterpret_cast<const uint32_t *>(code.data());
        VkShaderModule module;
        CHECK(vkCreateShaderModule(driver.device, &info, nullptr, &module));
        VkComputePipelineCreateInfo wanted{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        wanted.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT, module,
                        plan.entry.c_str(), nullptr};
        wanted.layout = layout;
        VkPipeline pipeline;
        CHECK(vkCreateComputePipelines(driver.device, VK_NULL_HANDLE, 1, &wanted, nullptr, &pipeline));
        vkDestroyShaderModule(driver.device, module, nullptr);
        return pipeline;
    }

    // So many dispatches, each after the one before.
    VkCommandBuffer dispatches(VkPipeline pipeline, int count, bool of_one_group = false) const {
        VkCommandBuffer commands = driver.begin();
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        for (int n = 0; n < count; n++) {
            const VkAccessFlags access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
            VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, access};
            const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
            if (n) vkCmdPipelineBarrier(commands, stage, stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
            if (of_one_group) vkCmdDispatch(commands, 1, 1, 1);
            else vkCmdDispatch(commands, plan.groups[0], plan.groups[1], plan.groups[2]);
        }
        CHECK(vkEndCommandBuffer(commands));
        return commands;
    }

    // Gives memory its first content: all of it, or what is written.
    void upload(bool written_alone) const {
        VkCommandBuffer commands = driver.begin();
        for (const Resource &one : plan.resources) {
            if (!one.buffer || (written_alone && one.out == "-")) continue;
            memcpy(one.mapped, one.first.data(), one.bytes);
            if (!one.is_image) continue;
            auto all = parts(one);
            image_barrier(commands, one, VK_IMAGE_LAYOUT_UNDEFINED);
            vkCmdCopyBufferToImage(commands, one.buffer, one.image, VK_IMAGE_LAYOUT_GENERAL, all.size(), all.data());
            image_barrier(commands, one, VK_IMAGE_LAYOUT_GENERAL);
        }
        finish(commands);
    }

    // Writes the files of what the shader writes.
    void save() const {
        VkCommandBuffer commands = driver.begin();
        for (const Resource &one : plan.resources)
            if (one.is_image && one.out != "-") {
                auto all = parts(one);
                image_barrier(commands, one, VK_IMAGE_LAYOUT_GENERAL);
                vkCmdCopyImageToBuffer(commands, one.image, VK_IMAGE_LAYOUT_GENERAL, one.buffer, all.size(), all.data());
            }
        finish(commands);
        for (const Resource &one : plan.resources)
            if (one.out != "-") {
                std::ofstream file(one.out, std::ios::binary);
                file.write(static_cast<const char *>(one.mapped), one.bytes);
                if (!file) throw std::runtime_error("cannot write " + one.out);
            }
    }

    const Plan &what() const { return plan; }

    ~Job() {
        vkDeviceWaitIdle(driver.device);
        for (Resource &one : plan.resources) {
            if (one.view) vkDestroyImageView(driver.device, one.view, nullptr);
            if (one.image) vkDestroyImage(driver.device, one.image, nullptr);
            if (one.image_memory) vkFreeMemory(driver.device, one.image_memory, nullptr);
            if (one.texels) vkDestroyBufferView(driver.device, one.texels, nullptr);
            if (one.buffer) vkDestroyBuffer(driver.device, one.buffer, nullptr);
            if (one.memory) vkFreeMemory(driver.device, one.memory, nullptr);
        }
        vkResetCommandPool(driver.device, driver.pool, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT);
    }

  private:
    void finish(VkCommandBuffer commands) const {
        CHECK(vkEndCommandBuffer(commands));
        driver.run(commands);
        vkFreeCommandBuffers(driver.device, driver.pool, 1, &commands);
    }

    const Driver &driver;
    Plan plan;
    std::vector<char> code;
    VkPipelineLayout layout{};
    VkDescriptorSet set{};
};

struct Compiling {
    double first_ms, least_ms;
};

// Module, pipeline and the first dispatch of one group, in which drivers generate code, less a later one.
Compiling compile(const Driver &driver, const Job &job, VkPipeline &pipeline) {
    Compiling times{0, 1e30};
    for (int n = 0; n < COMPILES; n++) {
        if (pipeline) vkDestroyPipeline(driver.device, pipeline, nullptr);
        double start = cpu_ms();
        pipeline = job.pipeline();
        double made = cpu_ms() - start;
        VkCommandBuffer one = job.dispatches(pipeline, 1, true);
        start = cpu_ms();
        driver.run(one);
        double first = cpu_ms() - start, later = 1e30;
        for (int again = 0; again < 3; again++) {
            start = cpu_ms();
            driver.run(one);
            later = std::min(later, cpu_ms() - start);
        }
        double whole = made + std::max(first - later, 0.0);
        if (!n) times.first_ms = whole;
        times.least_ms = std::min(times.least_ms, whole);
    }
    return times;
}

void measure(const Driver &driver, const char *label, double budget_ms, const std::string &path) {
    Job job(driver, read_plan(path));
    const Plan &plan = job.what();
    VkPipeline pipeline{};
    Compiling compiling = compile(driver, job, pipeline);
    job.upload(true);
    VkCommandBuffer commands = job.dispatches(pipeline, 1);
    driver.run(commands);
    job.save();
    // Once more, now that all memory is there.
    double start = wall_ms();
    driver.run(commands);
    double once = std::max(wall_ms() - start, 1e-4);
    int together = int(std::clamp(LEAST_MS / once, 1.0, double(MOST_TOGETHER)));
    if (together > 1) commands = job.dispatches(pipeline, together);
    double wall = 1e30, cpu = 1e30;
    int samples = 0;
    for (start = wall_ms(); samples < LEAST_SAMPLES || (wall_ms() - start < budget_ms && samples < MOST_SAMPLES); samples++) {
        double before = wall_ms(), before_cpu = cpu_ms();
        driver.run(commands);
        double after_cpu = cpu_ms(), after = wall_ms();
        wall = std::min(wall, (after - before) / together);
        cpu = std::min(cpu, (after_cpu - before_cpu) / together);
    }
    printf("{\"k\":\"%s\",\"impl\":\"%s\",\"wall\":%.6f,\"cpu\":%.6f,\"reps\":%d,\"compile_first\":%.3f,\"compile_min\":%.3f}\n",
           plan.name.c_str(), label, wall, cpu, samples * together, compiling.first_ms, compiling.least_ms);
    fflush(stdout);
    vkDestroyPipeline(driver.device, pipeline, nullptr);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fputs("vulkan_jobs LABEL MILLISECONDS PLAN...\n", stderr);
        return 2;
    }
    int failures = 0;
    try {
        Driver driver;
        printf("{\"device\":\"%s\"}\n", driver.name.c_str());
        for (int n = 3; n < count; n++) {
            try {
                measure(driver, arguments[1], atof(arguments[2]), arguments[n]);
            } catch (const std::exception &error) {
                fprintf(stderr, "%s: %s\n", arguments[n], error.what());
                failures++;
            }
        }
    } catch (const std::exception &error) {
        fprintf(stderr, "%s\n", error.what());
        failures++;
    }
    fflush(stdout);
    // Some drivers do not survive their own end.
    _exit(failures ? 1 : 0);
}
